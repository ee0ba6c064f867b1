/** Why a body is rejected: a code and a sentence for each rule of the specification's schemas. */
import type { ErrorObject } from 'ajv';
import type { Rejection } from './wireFormat.cts';

type Reason = [code: string, error: string];
type Params = Record<string, unknown>;

const HEADER_MEDIA_COUNT: Reason = [
	'header_media_not_exactly_one',
	'attachment must have exactly one of the keys image, audio, video, document',
];

/** Rules that belong to one field only; `field keyword`. */
const ofField: Record<string, ((body: Params) => Reason) | Reason> = {
	'customer_phone pattern': (body) =>
		String(body.customer_phone).startsWith('+')
			? ['phone_not_valid', 'customer_phone must be a plus sign, the country code and the number']
			: ['phone_without_plus', 'customer_phone must begin with a plus sign and the country code'],
	'attributes x-consecutive-positions': [
		'attribute_positions',
		'attributes must have the keys "1", "2", … without gaps',
	],
	'attachment minProperties': HEADER_MEDIA_COUNT,
	'attachment maxProperties': HEADER_MEDIA_COUNT,
	'text pattern': ['text_empty', 'text must not be empty'],
	'customer_id pattern': ['customer_id_not_digits', 'customer_id must be a string of digits'],
	'customer_id format': ['customer_id_out_of_range', 'customer_id is too large'],
	'attachment_type enum': [
		'attachment_type_not_allowed',
		'attachment_type must be image, video or document',
	],
};

/** Rules that read the same for every field. */
const ofKeyword: Record<string, (field: string, params: Params) => Reason> = {
	required: (_, params) => ['missing_field', `${params.missingProperty} is missing`],
	pattern: (field) => ['empty_field', `${field} must not be empty`],
	format: (field) => ['url_not_http', `${field} must be an absolute http or https URL`],
	type: (field, params) => ['wrong_type', `${field} must be of type ${params.type}`],
	additionalProperties: (field, params) =>
		field === 'attachment'
			? ['header_media_type_unknown', `attachment cannot hold "${params.additionalProperty}"`]
			: ['unknown_field', `"${params.additionalProperty}" is not a field of this operation`],
};

function reasonOf(error: ErrorObject, body: unknown): Reason {
	const path = error.instancePath.slice(1).split('/');
	const field = path.join('.');
	if (error.keyword === 'type' && field === '') {
		return body === undefined
			? ['body_missing', 'The request has no body']
			: ['body_not_object', 'The body must be a JSON object'];
	}
	if (error.keyword === 'type' && path[0] === 'attributes' && path.length === 2)
		return ['attribute_not_text', `attribute ${path[1]} must be a string`];
	const special = ofField[`${field} ${error.keyword}`];
	if (special) return typeof special === 'function' ? special(body as Params) : special;
	const general = ofKeyword[error.keyword];
	return general
		? general(field, error.params as Params)
		: ['not_valid', `${field} ${error.message}`];
}

/** Codes of the bodies that never got as far as the schema. */
const unreadable: Record<string, Reason | undefined> = {
	FST_ERR_CTP_EMPTY_JSON_BODY: ['body_missing', 'The request has no body'],
	FST_ERR_CTP_INVALID_MEDIA_TYPE: [
		'content_type_not_json',
		'The Content-Type must be application/json',
	],
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
		'body_incomplete',
		'The body is not as long as its Content-Length',
	],
};

/** What fastify raises: a violation of the schema, or a body that can't be read. */
export interface RequestError extends Error {
	statusCode?: number;
	code?: string;
	validation?: unknown[];
}

/** @param body the parsed body, if there is one */
export function rejectionOf(
	error: RequestError,
	body: unknown,
): { status: number; body: Rejection } {
	const rejected = (status: number, [code, text]: Reason) => ({
		status,
		body: rejection(code, text),
	});
	const { statusCode = 500, code = '', validation } = error;
	if (statusCode === 413)
		return rejected(413, ['body_too_large', 'The body is larger than this sandbox takes']);
	if (validation) return rejected(400, reasonOf(validation[0] as ErrorObject, body));
	if (unreadable[code]) return rejected(400, unreadable[code]);
	if (statusCode >= 500)
		return rejected(500, ['sandbox_error', `The sandbox failed: ${error.message}`]);
	return rejected(400, ['body_not_json', 'The body is not valid JSON']);
}

export function rejection(code: string, error: string): Rejection {
	return { error, code, success: false };
}
