/** The node in n8n's editor, in a real browser. n8n is booted once for all chapters. */
const { useStage } = require('./help');

const stage = useStage();

describe('Finding and adding the node', () => require('./chapters/creator')(stage));
describe('The fields', () => require('./chapters/fields')(stage));
describe('Lists of fields', () => require('./chapters/lists')(stage));
describe('The credential dialog', () => require('./chapters/credential')(stage));
describe('Executing the node', () => require('./chapters/executing')(stage));
describe('Failures', () => require('./chapters/failures')(stage));
describe('Retries', () => require('./chapters/retries')(stage));
