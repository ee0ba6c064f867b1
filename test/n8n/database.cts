/** Looks into the database of an n8n that runs. */
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import * as paths from '../../scripts/lib/paths.cts';

interface Sqlite {
	OPEN_READONLY: number;
	Database: new (file: string, mode: number) => SqliteDatabase;
}

interface SqliteDatabase {
	all(sql: string, done: (error: Error | null, rows: unknown[]) => void): void;
	close(done: (error: Error | null) => void): void;
}

/** With n8n's own driver: no further package to install. */
export function openDatabase(file: string) {
	const { Database, OPEN_READONLY } = createRequire(`${paths.n8n}/package.json`)(
		'sqlite3',
	) as Sqlite;
	const database = new Database(file, OPEN_READONLY);
	const all = promisify<string, unknown[]>(database.all.bind(database));
	return {
		all: async <Row,>(sql: string) => (await all(sql)) as Row[],
		close: promisify<void>(database.close.bind(database)),
	};
}
