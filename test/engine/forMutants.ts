/** The engine's tests as one file, so that n8n is loaded once for each mutant; without random runs, which reach the same code slowly. */
import './engine';

const FILES = 'reading|safeguards|outcomes|sendOnce|ask|tool|retry|errors|canceled|nodeState'.split(
	'|',
);

describe.each(FILES)('%s', (name) => void jest.requireActual(`./${name}.test`));
