import { list } from '../fields/field';

/** Judges no list: for each message, delivery/ asks the memory and the keys whether it may have been sent before. */
export const onUncertainDelivery = list(
	'If Delivery Is Uncertain',
	'Whether to resend when the service never confirmed the first try',
	{
		doNotResend: ["Don't Resend", "A retry doesn't send it again, and it may not have arrived"],
		resend: [
			'Resend',
			'Each retry, and each execution at the same time, sends it again: the customer may get it several times',
		],
	},
);
