import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationProperties, operationSubtitle } from './operations';
import { optionsProperty } from './operations/options';
import { safeguardsProperty } from './safeguards';
import { testRunHints, testRunSubtitle } from './safeguards/testRunNotes';
import { isToolCall } from './n8n/internals';
import { run } from './run/run';
import { outboundMessagingApiTest } from './service/credentialTest';
import { runTool } from './tool/runTool';
import { answerQuestion, answerWebhooks } from './waitForResponse/webhook';

export class OutboundMessaging implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Outbound Messaging',
		name: 'outboundMessaging',
		icon: {
			light: 'file:../../icons/outboundMessaging.svg',
			dark: 'file:../../icons/outboundMessaging.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle: `={{ ${testRunSubtitle} + ${operationSubtitle} }}`,
		// Also what an agent reads about the tool, unless the user writes a description.
		description: 'Send WhatsApp template messages, text messages and attachments to real customers',
		defaults: { name: 'Outbound Messaging' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'outboundMessagingApi', required: true, testedBy: 'outboundMessagingApiTest' },
		],
		webhooks: answerWebhooks,
		hints: testRunHints,
		properties: [...operationProperties, optionsProperty, safeguardsProperty],
	};

	methods = { credentialTest: { outboundMessagingApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [isToolCall(this.getNode()) ? await runTool(this) : await run(this)];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await answerQuestion(this);
	}
}
