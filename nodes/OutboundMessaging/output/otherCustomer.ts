import type { IDataObject } from 'n8n-workflow';

import type { Message } from '../delivery/message';
import { sameCustomer } from '../recipients/sameCustomer';

/** Whether a record (specification 2.1) names another customer than the one its message went to. One that names none doesn't. */
export function isOtherCustomer({ recipient }: Message, { extra }: IDataObject): boolean {
	const { customer_phone: phone, customer_id: id } = (extra ?? {}) as IDataObject;
	const isPhone = recipient.startsWith('+');
	const digits = String(isPhone ? phone : id).replace(/[\s+().-]/g, '');
	// It can be missing, or masked.
	if (!/^\d+$/.test(digits)) return false;
	if (isPhone) return sameCustomer(`+${digits.replace(/^0+/, '')}`) !== recipient;
	// JSON reads long integers inexactly.
	return Number(digits) !== Number(recipient);
}
