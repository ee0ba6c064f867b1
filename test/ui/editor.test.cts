/** The node in n8n's editor, in a real browser. n8n is booted once for all chapters. */
import { credential } from './chapters/credential.cts';
import { failures } from './chapters/failures.cts';
import { fields } from './chapters/fields.cts';
import { lists } from './chapters/lists.cts';
import { options } from './chapters/options.cts';
import { useStage } from './help.cts';

const stage = useStage();

describe('Finding the node, and its fields', () => fields(stage));
describe('Options and safeguards', () => options(stage));
describe('Lists of fields', () => lists(stage));
describe('The credential dialog', () => credential(stage));
describe('Failures and retries', () => failures(stage));
