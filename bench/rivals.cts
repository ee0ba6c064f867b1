/** Who takes part: what each one is, and how it is wired into a workflow. */
import { node, outboundMessaging, type NodeDefinition } from '../test/n8n/workflow.cts';
import { TEXT_PATH } from './nodes.cts';

export const SENDER = 'Sender';
export const ROWS = 'Rows';

interface SavedCredential {
	id: string;
	name: string;
}

/** Where the messages go. */
export interface Place {
	url: string;
	credentials: Record<'ours' | 'bench' | 'benchKey' | 'header', SavedCredential>;
}

/** What is sent, as expressions. */
interface Message {
	customerId: string;
	text: string;
}

interface Rival {
	label: string;
	what: string;
	wire(message: Message, place: Place, inFlight: number): NodeDefinition;
}

const bench = (type: string, { credentials }: Place, parameters: object) =>
	node(SENDER, `n8n-nodes-bench.${type}`, 1, parameters, {
		credentials: { benchApi: credentials.bench, benchKeyApi: credentials.benchKey },
	});

const ours =
	(more: { safeguards?: object; settings?: object } = {}): Rival['wire'] =>
	({ customerId, text }, { credentials }, maxConcurrency) =>
		outboundMessaging({
			name: SENDER,
			credentialId: credentials.ours.id,
			parameters: {
				...{ operation: 'sendText', customerId, text, options: { maxConcurrency } },
				safeguards: more.safeguards,
			},
			settings: more.settings,
		});

const withSafeguard = (label: string, safeguards: object, settings?: object): Rival => ({
	label: `with ${label}`,
	what: `this node with '${label}'`,
	wire: ours({ safeguards, settings }),
});

/** Has none of the customers on it. */
const DO_NOT_CONTACT = Array.from({ length: 1_000 }, (_, index) => String(400_000_000 + index));

/** This node with one safeguard each, set so that every message is still sent. */
export const WITH_SAFEGUARDS = {
	allowedHours: withSafeguard('Allowed Hours', {
		allowedHours: { window: { from: '00:00', until: '24:00', days: [], timezone: 'Asia/Tokyo' } },
	}),
	doNotContact: withSafeguard('Do Not Contact', { doNotContact: DO_NOT_CONTACT.join(',') }),
	maxMessages: withSafeguard('Max Messages', { maxMessages: 100_000 }),
	onUncertainDelivery: withSafeguard('If Delivery Is Uncertain', { onUncertainDelivery: 'resend' }),
	repeatedRecipients: withSafeguard('Repeated Recipients', { repeatedRecipients: 'sendFirst' }),
	sendOnceKey: withSafeguard('Send Once Key', { sendOnceKey: '={{ $json.customerId }}' }),
	stopAfterFailures: withSafeguard(
		'Stop After Failures',
		{ stopAfterFailures: 10 },
		{ onError: 'continueRegularOutput' },
	),
};

export const RIVALS = {
	ours: {
		label: 'Outbound Messaging',
		what: 'this node, with all its checks and its memory for retries',
		wire: ours(),
	},
	http: {
		label: 'HTTP Request',
		what: "n8n's own HTTP Request node at its defaults: Header Auth, the body in its fields. It doesn't bound the messages in flight",
		wire: ({ customerId, text }, { url, credentials }) =>
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
			),
	},
	declarative: {
		label: 'Declarative node',
		what: "a minimal declarative node with the same fields and a credential with a generic header. It doesn't bound the messages in flight either",
		wire: (message, place) => bench('benchDeclarative', place, message),
	},
	floor: {
		label: 'Bare floor',
		what: "not a node to use: a constant text, posted with n8n's own helper to one customer after the other, as many in flight as this node has. No expression, no check, no memory",
		wire: (_, place, inFlight) => bench('benchFloor', place, { inFlight }),
	},
	floorWithCredential: {
		label: 'Bare floor with a credential',
		what: "the bare floor, but n8n adds the API key from the node's credential, as it asks of every node",
		wire: (_, place, inFlight) => bench('benchFloor', place, { inFlight, signsIn: true }),
	},
	floorWithKeys: {
		label: 'Bare floor with keys',
		what: "the bare floor, and the least that a send-once key takes in n8n's store: one write for each group of messages that are in flight together. No lock, no second look",
		wire: (_, place, inFlight) => bench('benchFloor', place, { inFlight, hasKeys: true }),
	},
	...WITH_SAFEGUARDS,
} satisfies Record<string, Rival>;

export type RivalName = keyof typeof RIVALS;

/** The message of every scenario, with the row's fields read in one of n8n's two usual ways. */
export const messageFrom = (row: string): Message => ({
	customerId: `={{ ${row}.customerId }}`,
	text: `=Hello {{ ${row}.firstName }}, your order is on its way.`,
});
