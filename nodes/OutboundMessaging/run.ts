import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { deliver } from './delivery/deliver';
import { EventLoop } from './delivery/eventLoop';
import { memoryOf } from './delivery/memory';
import type { Outcome } from './delivery/outcome';
import { isFailed } from './delivery/outcome';
import { progressLog } from './output/progress';
import type { KeyStore } from './delivery/keyStore';
import { openKeyStore } from './delivery/keyStore';
import type { Message } from './delivery/message';
import type { RunRejected } from './delivery/runRejected';
import { addOutcomeHint } from './output/hints';
import { InvalidValue } from './validation/invalidValue';
import { operationNamed } from './operations';
import { readSettings } from './parameters/options';
import type { ReadItem } from './parameters/readMessages';
import { readMessages } from './parameters/readMessages';
import { dryRunItems, listError, outputItems, rejected, runError } from './output/results';
import type { Connection } from './service/connection';
import { connectionFrom } from './service/connection';
import { readCredential, urlOf } from './service/request';
import { serviceSender } from './service/send';

/**
 * One run of the node: read and check all items, send what is sound, say how each one ended.
 * @returns one item per input item, in input order
 * @throws NodeApiError or NodeOperationError in stop mode
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const node = context.getNode();
	const continues = context.continueOnFail();
	const settings = readSettings(context);
	const operation = operationNamed(context.getNodeParameter('operation', 0));
	if (operation === undefined) {
		throw new NodeOperationError(node, 'This operation is not known', {
			description: 'Choose one of the operations of the list',
		});
	}
	const credential = await readCredential(context);
	const connection = connect(node, credential);
	const eventLoop = new EventLoop();

	const items = await readMessages(
		context,
		operation,
		urlOf(connection, operation.path),
		eventLoop,
	);
	const refusal = continues ? undefined : listError(node, items);
	if (refusal) throw refusal;
	if (settings.dryRun) return dryRunItems(node, items);

	const messages = items.flatMap((item) => ('message' in item ? [item.message] : []));
	const memory = memoryOf(context);
	const isCanceled = () => context.getExecutionCancelSignal()?.aborted === true;
	const keyStore = await keyStoreFor(context, messages, isCanceled);
	const delivered = await deliver(messages, {
		...settings,
		send: serviceSender(context, credential, connection, settings.timeout),
		memory,
		keyStore,
		keyWait: settings.timeout + settings.rateLimitWait,
		eventLoop,
		stopOnFailure: !continues,
		cancelled: isCanceled,
		ended: progressLog(context.logger, node.name, messages.length),
	});
	const outcomes = perItem(items, delivered);

	const error = continues ? undefined : runError(node, outcomes, isCanceled());
	if (error) throw error;
	if (!isRetried(node, outcomes)) memory.forget();
	addOutcomeHint(context, outcomes);
	return outputItems(node, outcomes);
}

function connect(node: INode, credential: Parameters<typeof connectionFrom>[0]): Connection {
	try {
		return connectionFrom(credential);
	} catch (error) {
		const { message, fix: mend } = error as InvalidValue;
		throw new NodeOperationError(node, message, {
			description: `${mend}. You find it in the credential. Nothing was sent.`,
			failure: { cause: 'credential-invalid' },
		});
	}
}

async function keyStoreFor(
	context: IExecuteFunctions,
	messages: Message[],
	shouldStop: () => boolean,
): Promise<KeyStore | undefined> {
	const keys = messages.filter(({ sendOnceKey }) => sendOnceKey !== undefined).length;
	if (keys === 0) return undefined;
	try {
		const keyStore = openKeyStore(context, keys);
		await keyStore.prepare(shouldStop);
		return keyStore;
	} catch (error) {
		const { title, description, n8nCause } = (error as RunRejected).failure;
		throw new NodeOperationError(context.getNode(), title, {
			description: `${description}. Nothing was sent.`,
			failure: n8nCause,
		});
	}
}

/** The outcomes of the messages, put in their places among the items that never became one. */
function perItem(items: ReadItem[], delivered: Outcome[]): Outcome[] {
	let next = 0;
	return items.map((item) => ('refused' in item ? rejected(item.refused) : delivered[next++]));
}

/** n8n runs a node again, in continue mode too, when the first item of its output says that it failed. */
function isRetried(node: INode, outcomes: Outcome[]): boolean {
	return node.retryOnFail === true && isFailed(outcomes[0]);
}
