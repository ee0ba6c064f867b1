/** A function that works once for each object, and then knows the result. What it reads of the object must not change. */
export function oncePerObject<O extends object, R>(work: (object: O) => R): (object: O) => R {
	const results = new WeakMap<O, R>();
	return (object) => {
		if (!results.has(object)) results.set(object, work(object));
		return results.get(object)!;
	};
}
