/** The list of customers: what the source node yields, and what the ledger of the sandbox must show. */

const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'Ken'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

/**
 * Every row is another customer, in the shape of a row that comes out of a CRM.
 *
 * @param {number} count
 */
const rows = (count) =>
	Array.from({ length: count }, (_, index) => ({
		customerId: String(500_000_000 + index),
		phone: `+4915${10_000_000 + index}`,
		firstName: NAMES[index % NAMES.length],
		order: `A-${100_000 + index}`,
		day: DAYS[index % DAYS.length],
		city: 'Berlin',
	}));

module.exports = { rows };
