/**
 * What a status of the service becomes, with no other host in reach: nothing follows a
 * redirect, or asks again.
 */
import nock from 'nock';

import { KEY } from '../help';
import { PATH, send } from './n8n';

const HOST = 'https://api.example.com';
const STATUSES = [200, 201, 301, 302, 303, 307, 308, 400, 401, 403, 404, 422, 429, 500, 503];

beforeAll(() => nock.disableNetConnect());
afterAll(() => nock.restore());

it.each(STATUSES)('%i is handed on, after one single request', async (status) => {
	const headers = { 'retry-after': '7', location: `${HOST}${PATH}` };
	const reply = jest.fn(() => [status, { id: 1 }, headers] as never);
	const message = { customer_id: '42', text: 'Hello' };
	nock(HOST).post(PATH, message).matchHeader('x-service-api-key', KEY).times(5).reply(reply);
	await expect(send(HOST)).resolves.toMatchObject({ status, headers, text: '{"id":1}' });
	expect(reply).toHaveBeenCalledTimes(1);
	nock.cleanAll();
});
