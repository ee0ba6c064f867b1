/** What Linux says about a process; elsewhere nothing is known. Children are apart. */
const fs = require('node:fs');

/** Clock ticks are 10 ms on every Linux that Node runs on. */
const TICK_MS = 10;
const FIELDS_BEFORE_UTIME = 11;

/** @returns {number | undefined} milliseconds of processor time so far */
function cpuMs(pid) {
	const stat = read(`/proc/${pid}/stat`);
	if (stat === undefined) return undefined;
	// The name in parentheses may hold blanks.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user, system] = fields.slice(FIELDS_BEFORE_UTIME, FIELDS_BEFORE_UTIME + 2);
	return (Number(user) + Number(system)) * TICK_MS;
}

/** @returns {{ now?: number, peak?: number }} resident memory in MB; the peak since `forgetPeak` */
function memoryMb(pid) {
	const status = read(`/proc/${pid}/status`) ?? '';
	const field = (name) => {
		const found = status.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'));
		return found ? Number(found[1]) / 1024 : undefined;
	};
	return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** Starts a new peak from here; not every system allows it. */
function forgetPeak(pid) {
	try {
		fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// The peak is then that of the whole life of the process.
	}
}

function read(file) {
	try {
		return fs.readFileSync(file, 'utf8');
	} catch {
		return undefined;
	}
}

module.exports = { cpuMs, memoryMb, forgetPeak };
