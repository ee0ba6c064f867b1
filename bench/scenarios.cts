/** What is measured, and who takes part. */
import { node, outboundMessaging, type NodeDefinition } from '../test/n8n/workflow.cts';
import { TEXT_PATH } from './nodes.cts';

export const SENDER = 'Sender';
export const ROWS = 'Rows';
/** Messages at a time, where a rival can be told. */
const IN_FLIGHT = 100;

export interface Scenario {
	title: string;
	/** Items. */
	size: number;
	/** Of the service, in ms. */
	latency: number;
	tls?: boolean;
	/** In so many runs of a loop, each with all of the items; without it, there's no loop. */
	runs?: number;
	/** Where the fields of a row come from. */
	row: string;
	rivals: RivalName[];
}

/** Where the messages go. */
export interface Place {
	url: string;
	credentials: Record<'ours' | 'bench' | 'header', { id: string; name: string }>;
}

interface Message {
	customerId: string;
	text: string;
}

export const messageFrom = (row: string): Message => ({
	customerId: `={{ ${row}.customerId }}`,
	text: `=Hello {{ ${row}.firstName }}, your order is on its way.`,
});

const httpRequest = ({ customerId, text }: Message, { url, credentials }: Place) =>
	node(
		SENDER,
		'n8n-nodes-base.httpRequest',
		4.5,
		{
			method: 'POST',
			url: url + TEXT_PATH,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			bodyParameters: {
				parameters: [
					{ name: 'customer_id', value: customerId },
					{ name: 'text', value: text },
				],
			},
			options: {},
		},
		{ credentials: { httpHeaderAuth: credentials.header } },
	);

const bench = (type: string, parameters: object, { credentials }: Place) =>
	node(SENDER, `n8n-nodes-bench.${type}`, 1, parameters, {
		credentials: { benchApi: credentials.bench },
	});

const ours = ({ customerId, text }: Message, { credentials }: Place) =>
	outboundMessaging({
		name: SENDER,
		credentialId: credentials.ours.id,
		parameters: {
			...{ operation: 'sendText', customerId, text },
			options: { maxConcurrency: IN_FLIGHT },
		},
	});

interface Rival {
	label: string;
	wire(message: Message, place: Place): NodeDefinition;
}

export const RIVALS = {
	ours: { label: 'Outbound Messaging', wire: ours },
	http: { label: 'HTTP Request', wire: httpRequest },
	declarative: {
		label: 'Declarative node',
		wire: (message, place) => bench('benchDeclarative', message, place),
	},
	floor: {
		label: 'Bare floor',
		wire: (_, place) => bench('benchFloor', { inFlight: IN_FLIGHT }, place),
	},
	limited: {
		label: 'Bare, with authentication and a limit',
		wire: (_, place) => bench('benchFloor', { inFlight: IN_FLIGHT, isLimited: true }, place),
	},
} satisfies Record<string, Rival>;

export type RivalName = keyof typeof RIVALS;

const ALL = Object.keys(RIVALS) as RivalName[];
const https = (latency: number): Scenario => ({
	...{ title: `HTTPS, ${latency} ms`, size: 1_000, latency, tls: true, row: '$json', rivals: ALL },
});

export const SCENARIOS: Scenario[] = [
	...[0, 50, 200].map(https),
	{ title: 'HTTP, 0 ms', size: 1_000, latency: 0, row: '$json', rivals: ALL },
	{ title: 'HTTP, 50 ms', size: 1_000, latency: 50, row: '$json', rivals: ALL },
	{
		title: "HTTP, 0 ms, fields from `$('Node').item.json`",
		...{ size: 1_000, latency: 0, row: `$('${ROWS}').item.json`, rivals: ALL },
	},
	{
		title: 'HTTP, 0 ms, 10,000 messages',
		...{ size: 10_000, latency: 0, row: '$json', rivals: ['ours', 'floor', 'limited'] },
	},
];

/** Only in the first run of a loop, one request goes alone: what does that cost? */
export const FIRST_REQUEST: Scenario[] = [50, 200].flatMap((latency) =>
	[100, 1_000, 10_000].map((size) => ({
		title: `${latency} ms, ${size.toLocaleString('en')} messages`,
		...{ size, latency, runs: 2, row: '$json', rivals: ['ours' as const] },
	})),
);
