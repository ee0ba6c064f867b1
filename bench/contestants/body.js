/** An item's parameters as the body of its request, with nothing checked. */

/**
 * @param {string} operation
 * @param {(name: string) => any} read
 */
function bodyOf(operation, read) {
	if (operation === 'sendText') return { customer_id: read('customerId'), text: read('text') };
	return {
		template_id: read('templateId'),
		channel_id: read('channelId'),
		customer_phone: read('customerPhone'),
		attributes:
			read('specifyAttributes') === 'json'
				? read('attributesJson')
				: numbered(read('attributes').attribute),
	};
}

const numbered = (entries) => Object.fromEntries(entries.map(({ value }, at) => [at + 1, value]));

module.exports = { bodyOf };
