import { unreadable } from '../../../nodes/OutboundMessaging/parameters/parameters';
import { InvalidValue } from '../../../nodes/OutboundMessaging/validation/invalidValue';

const READ = "'Text' couldn't be read: No such node";
it.each<[Error, string, string]>([
	[new InvalidValue('is empty', 'Enter one'), "'Text' is empty", 'Enter one'],
	[new Error('No such node'), READ, "Check the expression in 'Text'"],
	[Object.assign(new Error('No such node'), { description: 'Connect it' }), READ, 'Connect it'],
])('%s: what happened, and how to fix it', (error, title, description) => {
	expect(unreadable('Text', error).failure).toMatchObject({
		title,
		description,
		reason: 'invalidInput',
	});
});
