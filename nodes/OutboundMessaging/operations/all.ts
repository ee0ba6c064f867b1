/** Every operation of the node, in the order of the list: a new one is a file of its own and a line here. */
export { sendAttachment } from './sendAttachment';
export { sendAndWait } from './sendAndWait';
export { sendText } from './sendText';
export { sendTemplate } from './sendTemplate';
