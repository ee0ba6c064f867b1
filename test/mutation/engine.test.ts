/**
 * The engine's tests as one file, so that n8n is loaded only once for each mutant. Left out are the slow ones (properties),
 * those that reach the same code as others, and those that measure time, since the code of a mutant is slower.
 */
import '../engine/engine';

const FILES = 'reading|safeguards|outcomes|sendOnce|ask|tool|retry|errors|canceled';

describe.each(FILES.split('|'))('%s', (name) => void jest.requireActual(`../engine/${name}.test`));
