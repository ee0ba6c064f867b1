import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { PageTexts, Question } from '../waitForResponse/question';
import type { LineBreaks } from '../validation/attributes';
import type { Fields, RecipientField } from '../parameters/field';

/** One thing the node can do: what the user sees of it, and how an item becomes a request. */
export interface Operation {
	/** The entry in the Operation list; its value is stored in users' workflows. */
	option: INodePropertyOptions & { value: string; action: string };
	subtitle: string;
	/** Where the request goes, below the base URL (specification 4). */
	path: string;
	recipientField: RecipientField;
	/** Whether it waits for the answer of the person who gets the message. */
	asks?: boolean;
	fields: Fields;
	/** Makes a message to a recipient from the other fields. */
	toMessage(recipient: string, read: ReadField, options: MessageOptions): OperationMessage;
}

interface OperationMessage {
	/** The JSON of the request, with exactly the fields of the specification. */
	body: IDataObject;
	/** What the customer will read, where the node knows it. */
	text?: string;
	question?: Question;
}

/** The options that change what a message or its page says. */
export interface MessageOptions {
	attributeLineBreaks?: LineBreaks;
	templateText?: string;
	responsePage?: PageTexts;
	/** To the page of a question. */
	link?: string;
	/** The model of an AI agent fills in the fields, and can only leave one empty, not out. */
	isToolCall?: boolean;
}

/** Reads a parameter of one item, and checks it. An error names it by its label in the editor. */
export type ReadField = <T>(name: string, check: (value: unknown) => T) => T;
