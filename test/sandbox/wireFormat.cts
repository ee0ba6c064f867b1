/** Compiled with the other types, by `npm run lint`: the node's own types of the wire format are those of openapi.yaml. */
import type * as own from '../../nodes/OutboundMessaging/operations/wireFormat.ts';
import type * as specified from '../../sandbox/wireFormat.cts';

type Same<One, Other> =
	(<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : never;

export const areSame: {
	template: Same<own.TemplateMessage, specified.TemplateMessage>;
	text: Same<own.TextMessage, specified.TextMessage>;
	attachment: Same<own.AttachmentMessage, specified.AttachmentMessage>;
	header: Same<own.HeaderMedia, specified.HeaderMedia>;
	path: Same<own.MessagePath, keyof specified.paths>;
} = { template: true, text: true, attachment: true, header: true, path: true };
