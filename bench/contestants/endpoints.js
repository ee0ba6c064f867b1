/** Paths of the service, by operation. */
module.exports = {
	sendTemplate: '/stable/open/whatsapp/send-template-message',
	sendText: '/stable/open/customers/send-text-message',
};
