export { stop as default } from './sharedN8n.cts';
