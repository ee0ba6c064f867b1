/** How n8n is set up in queue mode: exactly as in examples/queue-mode, but for what differs from place to place. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as paths from '../../scripts/lib/paths.cts';

export interface Service {
	image: string;
	command: string | string[];
	environment: Record<string, string>;
	healthcheck: { test: string[] };
	volumes: string[];
	stop_grace_period: string;
}

export const readDeployment = (file: string) =>
	fs.readFileSync(path.join(paths.root, 'examples/queue-mode', file), 'utf8');

export const { services, volumes } = parse(readDeployment('compose.yaml'), { merge: true }) as {
	services: Record<string, Service>;
	volumes: object;
};

export const processes = ['main', 'webhook', 'worker'] as const;

export type ProcessKind = (typeof processes)[number];

/** URLs, ports and secrets: what's no choice of the deployment. */
export const PLACES = [
	'DB_POSTGRESDB_HOST',
	'DB_POSTGRESDB_PORT',
	'DB_POSTGRESDB_DATABASE',
	'DB_POSTGRESDB_USER',
	'DB_POSTGRESDB_PASSWORD',
	'QUEUE_BULL_REDIS_HOST',
	'QUEUE_BULL_REDIS_PORT',
	'N8N_ENCRYPTION_KEY',
	'WEBHOOK_URL',
];

export const settingsOf = (kind: ProcessKind): Record<string, string> =>
	Object.fromEntries(
		Object.entries(services[kind].environment).filter(([name]) => !PLACES.includes(name)),
	);

/** Of the command line of Redis. */
export const redisArguments = services.redis.command.slice(1) as string[];
