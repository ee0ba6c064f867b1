/**
 * The request bodies of the service (specification 4), which a test compares with sandbox/openapi.yaml. No interfaces:
 * those aren't n8n's IDataObject.
 */
export type TemplateMessage = {
	template_id: string;
	channel_id: string;
	customer_phone: string;
	/** By position: `{ "1": "Ada", "2": "Friday" }`. */
	attributes?: Record<string, string>;
	attachment?: HeaderMedia;
};

/** The URL of the header's file, under exactly one of these keys. */
export type HeaderMedia = {
	image?: string;
	audio?: string;
	video?: string;
	document?: string;
};

export type TextMessage = {
	customer_id: string;
	text: string;
};

export type AttachmentMessage = {
	customer_id: string;
	attachment_type: 'image' | 'video' | 'document';
	attachment_url: string;
};

export type MessageBody = TemplateMessage | TextMessage | AttachmentMessage;

/** Where each is sent, below the base URL. */
export type MessagePath =
	| '/stable/open/whatsapp/send-template-message'
	| '/stable/open/customers/send-text-message'
	| '/stable/open/customers/send-attachment-message';
