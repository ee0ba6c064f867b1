/** Who takes part: how each one is wired into a workflow, and what it is in words. */
const { node, outboundMessaging } = require('../../test/n8n/workflow.cts');

const NAME = 'Sender';
const FASTER = 300;

/**
 * @typedef {object} Place where the messages go, and what the node may need for it
 * @property {string} url
 * @property {number} inFlight as many as our node has at its default
 * @property {{ ours: object, bench: object, header: object }} credentials
 *
 * @typedef {object} Contestant
 * @property {string} label
 * @property {string} what
 * @property {(work: import('./work').Work, place: Place, options: { dryRun?: boolean }) => object} wire
 */

const ours =
	(options) =>
	(work, { credentials }, { dryRun }) =>
		outboundMessaging({
			name: NAME,
			parameters: {
				...work.parameters,
				options,
				safeguards: dryRun ? { dryRun: true } : {},
			},
			credentialId: credentials.ours.id,
		});

const bench = (type, work, { credentials }, parameters = {}) =>
	node(
		NAME,
		`n8n-nodes-bench.${type}`,
		1,
		{ ...work.parameters, ...parameters },
		{
			credentials: { benchApi: credentials.bench },
		},
	);

const httpRequest = (work, { url, credentials }, body) =>
	node(
		NAME,
		'n8n-nodes-base.httpRequest',
		4.5,
		{
			method: 'POST',
			url: url + work.path,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			...body,
			options: {},
		},
		{ credentials: { httpHeaderAuth: credentials.header } },
	);

const asJson = ({ jsonBody }) => ({ specifyBody: 'json', jsonBody });

const asFields = ({ bodyFields }) => ({
	bodyParameters: {
		parameters: Object.entries(bodyFields).map(([name, value]) => ({ name, value })),
	},
});

/** @type {Record<string, Contestant>} */
const CONTESTANTS = {
	ours: {
		label: 'Outbound Messaging',
		what: 'this node at its defaults, with all its checks and its memory for retries',
		wire: ours({}),
	},
	ours300: {
		label: `Outbound Messaging, ${FASTER} at a time`,
		what: `this node with Max Concurrency ${FASTER}`,
		wire: ours({ maxConcurrency: FASTER }),
	},
	http: {
		label: 'HTTP Request',
		what: "n8n's own HTTP Request node wired by hand at its defaults: Header Auth, the body in its fields; a template, whose attributes have no room there, as JSON",
		wire: (work, place) =>
			httpRequest(work, place, work.bodyFields ? asFields(work) : asJson(work)),
	},
	httpJson: {
		label: 'HTTP Request, JSON body',
		what: 'the same node with the whole body as one JSON text with expressions in it, which breaks at the first quotation mark in a value',
		wire: (work, place) => httpRequest(work, place, asJson(work)),
	},
	declarative: {
		label: 'Declarative node',
		what: 'a minimal declarative node with the same fields and a credential with a generic header',
		wire: (work, place) => bench('benchDeclarative', work, place),
	},
	sequential: {
		label: 'Sequential node',
		what: 'a programmatic node as most community nodes are written: a loop that sends one item after the other',
		wire: (work, place) => bench('benchSequential', work, place),
	},
	floor: {
		label: 'The floor',
		what: 'not a node to use but the least that it takes the usual way: each expression evaluated once per item, then bare requests, as many in flight as this node has; nothing is checked, nothing is remembered',
		wire: (work, place, { dryRun = false }) =>
			bench('benchFloor', work, place, { inFlight: place.inFlight, readOnly: dryRun }),
	},
};

module.exports = { CONTESTANTS, NAME };
