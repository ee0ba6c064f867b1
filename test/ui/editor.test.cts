/** The node in n8n's editor, in a real browser. n8n is booted once for all chapters. */
import { creator } from './chapters/creator.cts';
import { credential } from './chapters/credential.cts';
import { executing } from './chapters/executing.cts';
import { failures } from './chapters/failures.cts';
import { fields } from './chapters/fields.cts';
import { lists } from './chapters/lists.cts';
import { options } from './chapters/options.cts';
import { retries } from './chapters/retries.cts';
import { useStage } from './help.cts';

const stage = useStage();

describe('Finding and adding the node', () => creator(stage));
describe('The fields', () => fields(stage));
describe('Options and safeguards', () => options(stage));
describe('Lists of fields', () => lists(stage));
describe('The credential dialog', () => credential(stage));
describe('Executing the node', () => executing(stage));
describe('Failures', () => failures(stage));
describe('Retries', () => retries(stage));
