import fc from 'fast-check';

import { backoffMs } from '../../nodes/OutboundMessaging/delivery/backoff';
import { retryAfterMs } from '../../nodes/OutboundMessaging/service/retryAfter';
import { claim, nasty } from './help';

const NOW = Date.UTC(2031, 1, 3);

const header = fc.oneof(
	nasty,
	fc.constant(undefined),
	fc.stringMatching(/^[0-9]{1,400}$/),
	fc.stringMatching(/^-?[0-9]{1,6}\.[0-9]{1,6}$/),
	fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
);

export const deliveryClaims = [
	claim(
		'a wait that a service asks for is a number one can wait for, or none',
		header,
		(value) => {
			const wait = retryAfterMs(value, NOW);
			return wait === undefined || (Number.isFinite(wait) && wait > 0);
		},
		'9'.repeat(400),
	),
	claim(
		'whole seconds are taken at their word',
		fc.integer({ min: 1, max: 86_400 }),
		(seconds) =>
			retryAfterMs(String(seconds), NOW) === seconds * 1000 &&
			retryAfterMs(new Date(NOW + seconds * 1000).toUTCString(), NOW) === seconds * 1000,
	),
	claim(
		'waits of our own grow up to a limit',
		fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true })),
		([time, random]) => {
			const wait = backoffMs(time, random);
			return wait >= 1000 && wait <= 80_000;
		},
	),
];
