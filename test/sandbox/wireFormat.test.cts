import ts from 'typescript';

test("the node's types of the wire format are those of openapi.yaml", () => {
	const options = {
		strict: true,
		noEmit: true,
		allowImportingTsExtensions: true,
		types: [],
		lib: ['lib.es5.d.ts'],
	};
	const program = ts.createProgram(['test/sandbox/wireFormat.cts'], {
		...options,
		module: ts.ModuleKind.NodeNext,
	});
	const errors = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
	expect(errors).toEqual([]);
});
