/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests run on a developer's machine */
/** The sender behind a proxy that doesn't let it out. */
import nock from 'nock';

import { sender } from '../../../nodes/OutboundMessaging/service/request';
import { KEY } from '../help';
import { credentialFor, executeFunctions } from './n8n';
import { closedPort, closeServers, refusingProxy } from './server';

const URL = 'https://service.example';
const send = async () =>
	await sender(
		executeFunctions(),
		credentialFor(URL),
		5000,
	)({ url: `${URL}/stable/open/customers/send-text-message`, body: {} });

beforeAll(() => nock.restore());
afterEach(closeServers);
afterEach(() => void delete process.env.HTTPS_PROXY);

describe('a proxy', () => {
	it.each([403, 407, 502, 503])('that rejects the connection with %i', async (status) => {
		const proxy = await refusingProxy(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nNo`);
		process.env.HTTPS_PROXY = proxy.url;
		await expect(send()).resolves.toEqual({
			kind: 'proxyRefused',
			status,
		});
		expect(proxy.asked()).toMatch(/^CONNECT service\.example:443/);
		expect(proxy.asked()).not.toContain(KEY);
	});

	it('that says nothing, and one that is not there: nothing was sent', async () => {
		process.env.HTTPS_PROXY = (await refusingProxy('')).url;
		await expect(send()).resolves.toMatchObject({ notSent: true });
		process.env.HTTPS_PROXY = await closedPort();
		await expect(send()).resolves.toMatchObject({ notSent: true });
	});
});
