'use strict';

/** Nothing is coerced, dropped or filled in: a client must see its own mistakes. */
const ajvOptions = {
	customOptions: {
		coerceTypes: false,
		removeAdditional: false,
		useDefaults: false,
		allErrors: false,
		keywords: [
			{
				keyword: 'consecutivePositions',
				type: 'object',
				errors: false,
				validate: (_, value) => {
					const count = Object.keys(value).length;
					for (let position = 1; position <= count; position++) {
						if (!Object.hasOwn(value, String(position))) return false;
					}
					return true;
				},
			},
			{ keyword: 'httpUrl', type: 'string', errors: false, validate: (_, value) => isHttp(value) },
			{
				keyword: 'safeInteger',
				type: 'string',
				errors: false,
				validate: (_, value) => Number.isSafeInteger(Number(value)),
			},
		],
	},
};

function isHttp(value) {
	return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value);
}

/** Rules that belong to one field only; `field keyword`. */
const ofField = {
	'customer_phone pattern': (body) =>
		String(body.customer_phone).startsWith('+')
			? ['phone_not_valid', 'customer_phone must be a plus sign, the country code and the number']
			: ['phone_without_plus', 'customer_phone must begin with a plus sign and the country code'],
	'attributes consecutivePositions': () => [
		'attribute_positions',
		'attributes must have the keys "1", "2", … without gaps',
	],
	'attachment minProperties': headerMediaCount,
	'attachment maxProperties': headerMediaCount,
	'text pattern': () => ['text_empty', 'text must not be empty'],
	'customer_id pattern': () => ['customer_id_not_digits', 'customer_id must be a string of digits'],
	'customer_id safeInteger': () => ['customer_id_out_of_range', 'customer_id is too large'],
	'attachment_type enum': () => [
		'attachment_type_not_allowed',
		'attachment_type must be image, video or document',
	],
};

function headerMediaCount() {
	return [
		'header_media_not_exactly_one',
		'attachment must have exactly one of the keys image, audio, video, document',
	];
}

/** Rules that read the same for every field. */
const ofKeyword = {
	required: (where, params) => ['missing_field', `${params.missingProperty} is missing`],
	pattern: (where) => ['empty_field', `${where} must not be empty`],
	httpUrl: (where) => ['url_not_http', `${where} must be an absolute http or https URL`],
	type: (where, params) => ['wrong_type', `${where} must be of type ${params.type}`],
	additionalProperties: (where, params) =>
		where === 'attachment'
			? ['header_media_type_unknown', `attachment cannot hold "${params.additionalProperty}"`]
			: ['unknown_field', `"${params.additionalProperty}" is not a field of this operation`],
};

function ofBody(body) {
	return body === undefined
		? ['body_missing', 'The request has no body']
		: ['body_not_object', 'The body must be a JSON object'];
}

function explain(error, body) {
	const path = error.instancePath.slice(1).split('/');
	const where = path.join('.');
	if (error.keyword === 'type' && where === '') return ofBody(body);
	if (error.keyword === 'type' && path[0] === 'attributes' && path.length === 2) {
		return ['attribute_not_text', `attribute ${path[1]} must be a string`];
	}
	const special = ofField[`${where} ${error.keyword}`];
	if (special) return special(body);
	const general = ofKeyword[error.keyword];
	return general ? general(where, error.params) : ['not_valid', `${where} ${error.message}`];
}

/** Codes of the bodies that never got as far as the schema. */
const unreadable = {
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

/**
 * @param {any} error what fastify raised: a schema violation or an unreadable body
 * @param {unknown} body the parsed body, if there is one
 * @returns {{ status: number, body: { error: string, code: string, success: false } }}
 */
function refusalOf(error, body) {
	if (error.statusCode === 413) {
		return refusal(413, ['body_too_large', 'The body is larger than this sandbox takes']);
	}
	if (error.validation) return refusal(400, explain(error.validation[0], body));
	if (unreadable[error.code]) return refusal(400, unreadable[error.code]);
	if ((error.statusCode ?? 500) >= 500) {
		return refusal(500, ['sandbox_error', `The sandbox failed: ${error.message}`]);
	}
	return refusal(400, ['body_not_json', 'The body is not valid JSON']);
}

function refusal(status, [code, error]) {
	return { status, body: { error, code, success: false } };
}

module.exports = { ajvOptions, refusalOf };
