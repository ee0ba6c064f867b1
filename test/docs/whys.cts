/** Why it says so, where the fix doesn't tell: a part of the text, and the reason. */
export const WHYS: Array<[part: string, reason: string]> = [
	[
		'is empty: the expression found no value',
		"the item has no such field, or its name is spelled differently: `Phone` isn't `phone`. Drag the field again.",
	],
	[
		'received several values at once',
		'the expression finds a list or an object. Split a list into items before, with _Split Out_.',
	],
	[
		'has no plus sign and country code',
		'the sheet stores numbers, or people left the country code out.',
	],
	[
		'may have lost a leading zero',
		'a sheet drops the zero of a number that it stores as a number.',
	],
	[
		'`can mean',
		"the digits are a number in two countries, and the node doesn't guess who gets your message.",
	],
	[
		'is too large for a number',
		'numbers keep 16 digits. The ID was damaged before it reached this node.',
	],
	['has a line break, a tab or more', 'the text comes from a field with several lines.'],
	[
		'points to a private network',
		"the service downloads the file, and can't reach your network. Or [let n8n serve it](../examples/README.md#send-a-file-that-n8n-serves).",
	],
	[
		'An earlier step sent this message without',
		'the item comes from the error output of a node like this one, and the customer could get it twice.',
	],
	[
		"isn't the same for item 0 and item",
		'most options and safeguards have one value for all items. Use an _If_ or a _Switch_ before.',
	],
	["'Max Messages' is", 'the list is longer than the limit. A loop counts as one execution.'],
	[
		"accepted ('Stop After Failures')",
		"something is wrong with the whole list or the service, so the rest isn't tried.",
	],
	["it's outside 'Allowed Hours'", "it's too early or too late for this customer."],
	["'Base URL' starts with http://", 'anyone on the way could read the key.'],
	[
		'The service responded to a wrong key with',
		"the server doesn't look at the key, so it isn't the messaging service.",
	],
	[
		"The service didn't accept the API key",
		'the key or the name of its header is wrong. The default header is the one of `npm run demo`.',
	],
	[
		"The service couldn't find this customer",
		"for one item, an ID is wrong. For all items, the path of 'Base URL' is.",
	],
	[
		'but not with a message result',
		"a sign-in page or a proxy responded. Open 'Base URL' in a browser to see which.",
	],
	['The connection broke before', "the request arrived or it didn't: n8n can't know."],
	[
		'Another execution may have sent',
		'Retry was clicked twice. When both have ended, the message is in the one or the other.',
	],
	[
		'A message with this send-once key may',
		'an execution with this key was stopped or got no response. If the customer has nothing, use another key.',
	],
];
