import { list } from '../fields/field';

/** Whether a message may have been sent before, plan.ts asks the memory and the items, and delivery/ the keys. */
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
