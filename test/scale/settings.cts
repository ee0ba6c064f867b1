/**
 * How n8n is set up in queue mode: as the example says, so that the scale run tests
 * what people deploy.
 */
import { parse } from 'yaml';
import { source } from '../docs/markdown.cts';

interface Service {
	image: string;
	command: string | string[];
	environment: Record<string, string>;
	healthcheck: { test: string[] };
	volumes: string[];
	stop_grace_period: string;
}

const compose = source('examples/queue-mode/compose.yaml');

export const { services, volumes } = parse(compose, { merge: true }) as {
	services: Record<string, Service>;
	volumes: object;
};

/** What differs from place to place, and is no choice. */
export const ADDRESSES = [
	...['HOST', 'PORT', 'DATABASE', 'USER', 'PASSWORD'].map((what) => `DB_POSTGRESDB_${what}`),
	...['QUEUE_BULL_REDIS_HOST', 'QUEUE_BULL_REDIS_PORT', 'N8N_ENCRYPTION_KEY', 'N8N_WEBHOOK_URL'],
];

export const processes = ['main', 'webhook', 'worker'] as const;

export type ProcessKind = (typeof processes)[number];

export const settingsOf = (kind: ProcessKind): Record<string, string> =>
	Object.fromEntries(
		Object.entries(services[kind].environment).filter(([name]) => !ADDRESSES.includes(name)),
	);
