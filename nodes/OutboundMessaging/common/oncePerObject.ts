/** Does work once for each object: later calls get the same result. What the work reads of the object must not change. */
export function oncePerObject<O extends object, R>(work: (object: O) => R): (object: O) => R {
	const results = new WeakMap<O, R>();
	return (object) => {
		if (!results.has(object)) results.set(object, work(object));
		return results.get(object)!;
	};
}
