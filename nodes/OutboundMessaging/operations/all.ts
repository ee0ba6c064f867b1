import type { Operation } from './operation';
import { sendAndWait } from './sendAndWait';
import { sendAttachment } from './sendAttachment';
import { sendTemplate } from './sendTemplate';
import { sendText } from './sendText';

/** Every operation of the node, by the names in the list: a new one is a file of its own and a line here. */
export const operations: Operation[] = [sendAttachment, sendAndWait, sendText, sendTemplate];
