import { list } from '../fields/field';

/** Judges no message: whether one may have been sent, plan.ts learns from the memory and the items, and delivery/ from the keys. */
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
