/** A function that does its work once for each object, and then knows the result. The object must not change. */
export function oncePerObject<O extends object, R>(work: (object: O) => R): (object: O) => R {
	const results = new WeakMap<O, R>();
	return (object) => {
		if (!results.has(object)) results.set(object, work(object));
		return results.get(object)!;
	};
}
