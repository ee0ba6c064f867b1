/**
 * Each error of docs/troubleshooting.md as n8n shows it: message, description and item. A row has what leads to the
 * error, and its message; the description must be what the page says beside that message, to the letter.
 */
import type { IDataObject } from 'n8n-workflow';

// First: it lets time be virtual for the node that the others load.
import type { CredentialService, Given } from './situations';
import * as given from './situations';
import type { Execution } from './engine';
import { nodeTypes, OUTBOUND_MESSAGING } from './nodeTypes';
import { customers, NODE } from './workflows';
import type { Listed } from '../docs/troubleshooting.cts';
import { find, isText, listedTexts, neverShown } from '../docs/troubleshooting.cts';

interface Row {
	message: string;
	situation: Given;
}

const listed = listedTexts();
/** What an agent reads is in tool.test.ts. */
const errors = listed.filter(({ heading, isError }) => isError && heading !== 'AI agents');
const MAYBE = 'the message may or may not have been sent';

describe('an item that is rejected before anything is sent', () => {
	it.each`
		message                                                                                                                  | situation
		${"'Customer ID' is empty: the expression found no value"}                                                               | ${{ items: [{ text: 'Hi' }], parameters: {} }}
		${"'Customer ID' is empty"}                                                                                              | ${given.text({ customer: '' })}
		${"'Text' is empty: the expression found no value"}                                                                      | ${{ items: [{ customer: '1000' }] }}
		${"'Text' is empty"}                                                                                                     | ${given.text({ text: ' \n' })}
		${"'Text' received several values at once"}                                                                              | ${given.text({ text: ['Hi', 'Ada'] })}
		${'\'Customer ID\' is "true", not an ID'}                                                                                | ${given.text({ customer: true })}
		${"'Customer ID' \"1.5\" isn't a whole number"}                                                                          | ${given.text({ customer: 1.5 })}
		${'\'Customer ID\' "9007199254740994" is too large for a number: its last digits are lost'}                              | ${given.text({ customer: 2 ** 53 + 2 })}
		${`'Customer ID' "${given.LONG}…" is longer than 256 characters`}                                                        | ${given.text({ customer: given.LONG.repeat(5) })}
		${"'Text' is empty: it has only invisible characters"}                                                                   | ${given.text({ text: '\u200b' })}
		${'\'Text\' is "NaN", not text'}                                                                                         | ${given.text({}, { text: '={{ 0 / 0 }}' })}
		${"'Text' couldn't be read: invalid syntax"}                                                                             | ${given.text({}, { text: '={{ $json.a( }}' })}
		${"'Customer ID' is empty: the expression found no value"}                                                               | ${{ items: [{ text: 'Hi', skipped: true }] }}
		${'An earlier step sent this message without a clear response: the customer may already have it'}                        | ${given.text({ details: { delivery: 'uncertain' } })}
		${'\'Customer Phone\' "555 0100" has no plus sign and country code'}                                                     | ${given.phone('555 0100')}
		${'\'Customer Phone\' "+0151 2345678" has a 0 where the country code starts'}                                            | ${given.phone('+0151 2345678')}
		${'\'Customer Phone\' "+44 (0)20 7946 0000" has a (0) in it'}                                                            | ${given.phone('+44 (0)20 7946 0000')}
		${'\'Customer Phone\' "+1 23" has 3 digits; a phone number has 7 to 15'}                                                 | ${given.phone('+1 23')}
		${'\'Customer Phone\' "-" has no digits'}                                                                                | ${given.phone('-')}
		${'\'Customer Phone\' "+15550100200/12" has a slash, which may join two numbers'}                                        | ${given.phone('+15550100200/12')}
		${"'Customer Phone' \"555 CALL\" contains characters that aren't allowed"}                                               | ${given.phone('555 CALL')}
		${"'Customer Phone' \"-555\" isn't a phone number"}                                                                      | ${given.phone(-555)}
		${`'Customer Phone' "${given.LONG}…" is longer than 64 characters`}                                                      | ${given.phone(given.LONG.repeat(2))}
		${'\'Customer Phone\' "612345678" may have lost a leading zero, because it came as a number'}                            | ${given.phone(612345678, 'IT')}
		${'\'Customer Phone\' "491712345678" can mean +49491712345678 or +491712345678'}                                         | ${given.phone('491712345678', 'DE')}
		${"'Customer Phone' \"12\" isn't a phone number that is possible in Germany"}                                            | ${given.phone('12', 'DE')}
		${"'Template ID' is empty"}                                                                                              | ${given.template({ templateId: ' ' })}
		${"'Attributes' value 2 is empty: the expression found no value"}                                                        | ${given.template(given.attributes('Ada', '={{ $json.no }}'))}
		${"'Attributes' value 1 has a line break, a tab or more than four spaces in a row, which WhatsApp rejects in templates"} | ${given.template(given.attributes('one\ntwo'), { attributeLineBreaks: 'reject' })}
		${"'Attributes (JSON)' isn't valid JSON: expected a value at line 1, column 6, found the end"}                           | ${given.json('{"1":')}
		${"'Attributes (JSON)' \"Ada\" isn't a JSON object or list"}                                                             | ${given.json('Ada')}
		${'\'Attributes (JSON)\' is "true", not an object or a list'}                                                            | ${given.json('={{ true }}')}
		${"'Attributes (JSON)' is empty"}                                                                                        | ${given.json(' ')}
		${'\'Attributes (JSON)\' has "name" where a number is expected'}                                                         | ${given.json('{"name":"Ada"}')}
		${"'Attributes (JSON)' has no value for position 2"}                                                                     | ${given.json('{"1":"a","3":"b"}')}
		${'\'Attributes (JSON)\' has the key "1" twice'}                                                                         | ${given.json('{"1":"a","1":"b"}')}
		${"'Attributes (JSON)' value 1 received several values at once"}                                                         | ${given.json('[["Ada"]]')}
		${"'Attachment URL' is empty"}                                                                                           | ${given.file('={{ "" }}')}
		${"'Attachment URL' \"a.pdf\" isn't a URL that starts with https://"}                                                    | ${given.file('a.pdf')}
		${'\'Header Media\' "http://localhost/a.png" points to a private network'}                                               | ${given.template({ headerMedia: { media: { type: 'image', url: 'http://localhost/a.png' } } })}
		${"'Attachment URL' has a user name or password in it"}                                                                  | ${given.file('https://u:p@example.com')}
		${`'Attachment URL' "https://example.com/${'a'.repeat(40)}…" is longer than 2,048 characters`}                           | ${given.file(`https://example.com/${'a'.repeat(2048)}`)}
		${"'Attachment Type' \"audio\" isn't a type of media that can be sent here"}                                             | ${given.file('https://example.com/a', '={{ "audio" }}')}
		${"'Allowed Hours' has the same time in 'From' and 'Until'"}                                                             | ${given.hours({ until: '08:00' })}
		${"'Allowed Hours' has \"8 pm\" in 'Until', which isn't a time"}                                                         | ${given.hours({ until: '8 pm' })}
		${"'Allowed Hours' has \"someday\" in 'Days', which isn't a day"}                                                        | ${given.hours({ days: ['someday'] })}
		${"'Allowed Hours' has \"Mars\" in 'Time Zone', which isn't a time zone"}                                                | ${given.hours({ timezone: 'Mars' })}
		${"'Allowed Hours' has nothing in 'Time Zone': the expression found no value"}                                           | ${given.hours({ timezone: '={{ $json.no }}' })}
		${"'Customer ID' is 1000, the same as in item 0 (n8n counts items from 0)"}                                              | ${{ items: [...customers(1), ...customers(1)], safeguards: { repeatedRecipients: 'reject' }, item: 1 }}
		${'\'Specify Attributes\' is "list"'}                                                                                    | ${given.template({ specifyAttributes: 'list' })}
		${"'Send Once Key' is empty: the expression found no value"}                                                             | ${given.guard({ sendOnceKey: '={{ $json.no }}' })}
		${'\'Send Once Key\' has "undefined" in it: "order-undefined"'}                                                          | ${given.guard({ sendOnceKey: '={{ `order-${$json.order}` }}' })}
		${'\'Send Once Key\' is incomplete: "{{ $json.order }}" found no value'}                                                 | ${given.guard({ sendOnceKey: '=order-{{ $json.order }}' })}
	`('$message', async ({ message, situation }: Row) => {
		const item = situation.item ?? 0;
		expectShown(await stopped(situation), message, item);
		expectShown(await continued(situation), message, item);
	});
});

describe('a run that is rejected before anything is sent', () => {
	it.each`
		message                                                                                                           | situation
		${'\'Dry Run\' is "yes"'}                                                                                         | ${given.guard({ dryRun: 'yes' })}
		${'\'On Uncertain Delivery\' is "no"'}                                                                            | ${given.guard({ onUncertainDelivery: 'no' })}
		${'\'Repeated Recipients\' is "no"'}                                                                              | ${given.guard({ repeatedRecipients: 'no' })}
		${'\'Max Messages\' is "-1"'}                                                                                     | ${given.guard({ maxMessages: -1 })}
		${'\'Stop After Failures\' is "1.5"'}                                                                             | ${given.guard({ stopAfterFailures: 1.5 })}
		${'\'Max Concurrency\' is "1001"'}                                                                                | ${given.option({ maxConcurrency: 1001 })}
		${'\'Max Concurrency\' is "2.5"'}                                                                                 | ${given.option({ maxConcurrency: 2.5 })}
		${'\'Max Concurrency\' is "0"'}                                                                                   | ${given.option({ maxConcurrency: 0 })}
		${'\'Rate Limit Wait (Seconds)\' is "86401"'}                                                                     | ${given.option({ rateLimitWait: 86_401 })}
		${'\'Timeout (Milliseconds)\' is "0"'}                                                                            | ${given.option({ timeout: 0 })}
		${"'Timeout (Milliseconds)' couldn't be read: invalid syntax"}                                                    | ${given.option({ timeout: '={{ $json.a( }}' })}
		${"'Max Messages' is empty: the expression found no value"}                                                       | ${given.guard({ maxMessages: '={{ $json.no }}' })}
		${'\'Messages per Second\' is "-1"'}                                                                              | ${given.option({ messagesPerSecond: -1 })}
		${'\'Rate Limit Wait (Seconds)\' is "soon"'}                                                                      | ${given.option({ rateLimitWait: 'soon' })}
		${'\'Timeout (Milliseconds)\' is "2147483649"'}                                                                   | ${given.option({ timeout: 2 ** 31 + 1 })}
		${"'Timeout (Milliseconds)' is empty: the expression found no value"}                                             | ${given.option({ timeout: '={{ $json.no }}' })}
		${'\'Line Breaks in Attributes\' is "no"'}                                                                        | ${given.template({}, { attributeLineBreaks: 'no' })}
		${"'Default Country' is \"Germany\", which isn't a country code"}                                                 | ${given.template({}, { defaultCountry: 'Germany' })}
		${"'Operation' has a value that this node doesn't know"}                                                          | ${{ parameters: { operation: 'sendFax' } }}
		${"'Do Not Contact' is empty: the expression found no list"}                                                      | ${given.guard({ doNotContact: '={{ $json.no }}' })}
		${'\'Do Not Contact\' is "5", not a list'}                                                                        | ${given.guard({ doNotContact: '={{ 5 }}' })}
		${"'Do Not Contact' has only empty entries: the expression found no values"}                                      | ${given.guard({ doNotContact: '={{ $json.a }},{{ $json.b }}' })}
		${"'Do Not Contact' has an entry that can't be used: entry 2 (the first is 1) \"2.5\" isn't a whole number"}      | ${given.guard({ doNotContact: '={{ [1, 2.5] }}' })}
		${'\'Test Recipient\' "+15550100200" is a phone number'}                                                          | ${given.guard({ testRecipient: '+15550100200' })}
		${"'Test Recipient' is empty: the expression found no value"}                                                     | ${given.guard({ testRecipient: '={{ $json.no }}' })}
		${"'Max Messages' is 1, and this run would send 2"}                                                               | ${given.guard({ maxMessages: 1 })}
		${"'Base URL' is empty"}                                                                                          | ${given.credential({ baseUrl: '' })}
		${"'Base URL' is too long"}                                                                                       | ${given.credential({ baseUrl: `https://example.com/${'a'.repeat(2048)}` })}
		${"'Base URL' isn't a URL that starts with https://"}                                                             | ${given.credential({ baseUrl: 'example' })}
		${"'Base URL' has a user name or password in it"}                                                                 | ${given.credential({ baseUrl: 'https://u:p@example.com' })}
		${"'Base URL' has a ? or # in it"}                                                                                | ${given.credential({ baseUrl: 'https://example.com/?' })}
		${"'Base URL' starts with http://, so the API key would travel unencrypted"}                                      | ${given.credential({ baseUrl: 'http://example.com' })}
		${"'API Key Header' is empty"}                                                                                    | ${given.credential({ apiKeyHeader: '' })}
		${"'API Key Header' isn't a header name: it has spaces, colons or other characters that aren't allowed"}          | ${given.credential({ apiKeyHeader: 'X Key' })}
		${"'API Key Header' is a header that HTTP uses itself"}                                                           | ${given.credential({ apiKeyHeader: 'Host' })}
		${"'API Key' is empty"}                                                                                           | ${given.credential({ apiKey: ' ' })}
		${"'API Key' is too long"}                                                                                        | ${given.credential({ apiKey: 'k'.repeat(513) })}
		${"'API Key' has spaces, line breaks or other characters that aren't allowed"}                                    | ${given.credential({ apiKey: 'two words' })}
		${"The credential isn't the same for item 0 and item 1 (n8n counts items from 0)"}                                | ${{ before: given.changeCredential }}
		${'\'Send Once Key\' is "order" for both item 0 and item 1 (n8n counts items from 0), but their messages differ'} | ${given.guard({ sendOnceKey: 'order' })}
	`('$message', async ({ message, situation }: Row) => {
		expectShown(await stopped(situation), message, -1);
		const execution = await continued(situation);
		const items = situation.items ?? given.TWO_ITEMS;
		expect(execution.json()).toHaveLength(items.length);
		for (const index of items.keys()) expectShown(execution, message, index);
	});
});

describe('a message that is rejected or uncertain', () => {
	it.each`
		message                                                                                                                                                                      | situation
		${'The service rejected the message (400): No such customer, code 17'}                                                                                                       | ${given.answer({ what: 'status', status: 400, body: { error: 'No such customer', code: 17 } })}
		${'The service rejected the message (422)'}                                                                                                                                  | ${given.answer({ what: 'empty', status: 422 })}
		${"The service responded that the message wasn't sent: No"}                                                                                                                  | ${given.answer({ what: 'successFalse', message: 'No' })}
		${"The service didn't accept the API key (401): No"}                                                                                                                         | ${given.status(401)}
		${'The service denied access (403): No'}                                                                                                                                     | ${given.status(403)}
		${"The service couldn't find this customer, template or channel (404): No"}                                                                                                  | ${given.status(404)}
		${"The service doesn't take messages at this URL (405): No"}                                                                                                                 | ${given.status(405)}
		${'A proxy between n8n and the service asks for a sign-in (407): No'}                                                                                                        | ${given.status(407)}
		${'The service reported a conflict (409): No'}                                                                                                                               | ${given.status(409)}
		${'The message is too large for the service (413): No'}                                                                                                                      | ${given.status(413)}
		${"The service redirected the request (307) to www.example.com, and the redirect wasn't followed"}                                                                           | ${given.answer({ what: 'redirect', status: 307, location: 'https://www.example.com/' })}
		${"The service's rate limit was reached (429): Too many requests, code rate_limited. It kept limiting requests for longer than 'Rate Limit Wait (Seconds)'"}                 | ${given.answer({ what: 'rateLimit' }, given.option({ rateLimitWait: 0 }))}
		${"The service is unavailable and asked to wait (503): The service is unavailable, code unavailable. It kept limiting requests for longer than 'Rate Limit Wait (Seconds)'"} | ${given.answer({ what: 'unavailable', retryAfter: 9 }, given.option({ rateLimitWait: 0 }))}
		${"This message wasn't sent: the service was limiting requests, for longer than 'Rate Limit Wait (Seconds)'"}                                                                | ${given.answer({ what: 'rateLimit', retryAfter: 9 }, { ...given.SECOND, options: { maxConcurrency: 1, rateLimitWait: 0 } })}
		${`The service didn't respond in time; ${MAYBE}`}                                                                                                                            | ${given.answer({ what: 'hang' }, given.option({ timeout: 100 }))}
		${`The service responded with status 500: No; ${MAYBE}`}                                                                                                                     | ${given.status(500)}
		${`The service responded (200), but not with a message result: Sign in; ${MAYBE}`}                                                                                           | ${given.answer({ what: 'html' })}
		${`The service responded without a valid HTTP status: No; ${MAYBE}`}                                                                                                         | ${given.raw('HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\nNo')}
		${`The connection broke before the service responded; ${MAYBE}`}                                                                                                             | ${given.answer({ what: 'cutBefore' })}
		${`The service's response was larger than 1 MB; ${MAYBE}`}                                                                                                                   | ${given.answer({ what: 'html', body: 'a'.repeat(1_100_000) })}
		${`The execution was canceled before the service responded; ${MAYBE}`}                                                                                                       | ${given.answer({ what: 'hang' }, { ...given.CONTINUE, run: given.canceled })}
		${"n8n couldn't connect to the service: the connection was refused"}                                                                                                         | ${given.broken('ECONNREFUSED')}
		${"n8n couldn't connect to the service: the connection was closed"}                                                                                                          | ${given.broken('ECONNRESET')}
		${"n8n couldn't connect to the service: the connection timed out"}                                                                                                           | ${given.broken('ETIMEDOUT')}
		${"n8n couldn't connect to the service: its host name doesn't exist"}                                                                                                        | ${given.broken('ENOTFOUND')}
		${"n8n couldn't connect to the service: its host name couldn't be looked up"}                                                                                                | ${given.broken('EAI_AGAIN')}
		${"n8n couldn't connect to the service: its host is unreachable"}                                                                                                            | ${given.broken('EHOSTUNREACH')}
		${"n8n couldn't connect to the service: its network is unreachable"}                                                                                                         | ${given.broken('ENETUNREACH')}
		${"n8n couldn't connect to the service: it doesn't use HTTPS at this port"}                                                                                                  | ${given.broken('EPROTO')}
		${"n8n couldn't connect to the service: its certificate has expired"}                                                                                                        | ${given.broken('CERT_HAS_EXPIRED')}
		${"n8n couldn't connect to the service: its certificate is self-signed"}                                                                                                     | ${given.broken('DEPTH_ZERO_SELF_SIGNED_CERT')}
		${"n8n couldn't connect to the service: its certificate couldn't be verified"}                                                                                               | ${given.broken('UNABLE_TO_VERIFY_LEAF_SIGNATURE')}
		${"n8n couldn't connect to the service: its certificate is for another host"}                                                                                                | ${given.broken('ERR_TLS_CERT_ALTNAME_INVALID')}
		${'A proxy between n8n and the service rejected the connection (403)'}                                                                                                       | ${given.broken('', { before: given.useProxy })}
		${"n8n blocked the request: the credential's allowed domains don't include the service"}                                                                                     | ${{ items: customers(1), credential: { allowedHttpRequestDomains: 'domains', allowedDomains: 'other.example' } }}
		${"n8n blocked the request: it isn't allowed to reach the service's host"}                                                                                                   | ${{ items: customers(1), before: given.blockHost }}
		${"This message wasn't sent: the run ended first. The service didn't accept the API key (401): No"}                                                                          | ${{ ...given.status(401), ...given.SECOND }}
		${"This message wasn't sent: the execution was canceled first"}                                                                                                              | ${given.answer({ what: 'hang' }, { ...given.SECOND, run: given.canceled })}
		${'The execution was canceled before all messages were sent'}                                                                                                                | ${given.answer({ what: 'hang' }, { run: given.canceled })}
		${`An earlier try got no clear response, so this message wasn't sent again. The connection broke before the service responded; ${MAYBE}`}                                    | ${given.answer(given.first('cutAfter'), { run: given.retried })}
		${"An earlier try may have sent this message, and resending it didn't work. The service rejected the message (400): No"}                                                     | ${{ items: customers(1), rules: [given.first('cutAfter'), ...given.status(400).rules!], safeguards: { onUncertainDelivery: 'resend' }, run: given.retried }}
		${'Another execution may have sent this message'}                                                                                                                            | ${{ items: customers(1), rules: [given.first('status'), { what: 'cutAfter', when: { nth: 2 } }], run: given.retriedTwice }}
		${'This retry has 20001 messages, more than the 20000 that one retry can keep from being sent twice'}                                                                        | ${{ items: customers(20_001), ...given.ONE_BY_ONE, rules: [given.first('status')], run: given.retried, item: -1 }}
		${"Whether another retry sent this message couldn't be checked: SQLITE_BUSY: database is locked"}                                                                            | ${{ items: customers(1), rules: [given.first('status')], run: given.retriedWithoutStore }}
		${'Something unexpected happened before this message was sent: out of memory'}                                                                                               | ${{ items: customers(2), options: { messagesPerSecond: 1 }, run: given.failWait(200), item: 1 }}
		${'Something unexpected happened while this message was being sent: out of memory'}                                                                                          | ${given.broken('ECONNREFUSED', { run: given.failWait(2000) })}
		${"This message wasn't sent: the run ended first. 2 messages in a row weren't accepted ('Stop After Failures'). The last one: The service rejected the message (400): No"}   | ${{ ...given.status(400), ...given.SECOND, items: customers(3), item: 2, safeguards: { stopAfterFailures: 2 } }}
		${"This message wasn't sent: the run ended first. A message wasn't accepted ('Stop After Failures'). The last one: The service rejected the message (400): No"}              | ${{ ...given.status(400), ...given.SECOND, safeguards: { stopAfterFailures: 1 } }}
		${"This message wasn't sent: it's outside 'Allowed Hours', which begin again on Monday 2026-11-23 08:00 (UTC)"}                                                              | ${given.atNight}
		${"'Max Messages' is 3, and this run would send 2 after 2 that were sent earlier in this execution"}                                                                         | ${{ ...given.PARTLY, run: given.retriedAs({ safeguards: { maxMessages: 3 } }), item: -1 }}
		${given.NO_CREDENTIAL}                                                                                                                                                       | ${{ before: given.loseCredential, item: -1 }}
		${"'Send Once Key' needs a saved workflow"}                                                                                                                                  | ${{ safeguards: given.KEY, before: given.forgetWorkflow, item: -1 }}
		${"20001 items have a 'Send Once Key', more than the 20000 that one execution may have"}                                                                                     | ${{ items: customers(20_001), safeguards: given.KEY, item: -1 }}
		${'A message with this send-once key may have been sent before: it got no clear response'}                                                                                   | ${given.answer(given.first('cutAfter'), { safeguards: given.KEY, run: given.ranTwice })}
		${"The service rejected the message (400): No. Its send-once key couldn't be released: SQLITE_BUSY: database is locked"}                                                     | ${{ ...given.status(400), safeguards: given.KEY, before: given.breakRemoval }}
		${"'Send Once Key' couldn't be checked: n8n's key store wasn't available for 120 seconds: another n8n process held the lock the whole time"}                                 | ${{ items: customers(1), safeguards: given.KEY, before: () => given.holdLock(2) }}
		${"'Send Once Key' couldn't be checked: this n8n process was busy for too long and lost its lock"}                                                                           | ${{ items: customers(1), safeguards: given.KEY, before: given.loseLock }}
		${"What was sent before couldn't be checked: n8n's key store wasn't available for 120 seconds: no response within 10 seconds"}                                               | ${{ items: customers(1), safeguards: given.KEY, before: () => given.holdLock(1, given.never), item: -1 }}
		${"What was sent before couldn't be checked: a Remove Duplicates node with the scope 'Workflow' occupies the place in n8n's database where this node keeps its lock"}        | ${{ items: customers(1), safeguards: given.KEY, before: given.occupyLock, item: -1 }}
	`('$message', async ({ message, situation }: Row) => {
		expectShown(await given.run(situation), message, situation.item ?? 0);
	});
});

describe('of all messages of a run', () => {
	it.each`
		message                                                                                                                                                                                                                                             | situation
		${'All 40 items are checked before the first message is sent. To fix: items 0, 3, 6, 9, 12, 15, 18, 21, 24, 27 and 4 more (n8n counts items from 0).'}                                                                                              | ${{ items: customers(40).map((item, index) => (index % 3 === 0 ? { text: 'x' } : item)) }}
		${"Nothing was sent in this try; an earlier try sent 2 messages. 'Retry with currently saved workflow' in the executions list doesn't send them again, but a new run of the workflow does."}                                                        | ${{ ...given.PARTLY, run: given.retriedAs({ parameters: { text: '={{ "" }}' } }) }}
		${"2 of 4 messages accepted, 1 rejected, 1 not attempted. To send the rest, open 'Executions', select this execution and choose 'Retry with currently saved workflow'. Running the workflow or this step again sends the accepted messages again."} | ${given.PARTLY}
		${"To send the rest, run the workflow again: 'Send Once Key' skips the accepted messages."}                                                                                                                                                         | ${{ ...given.PARTLY, safeguards: given.KEY }}
		${'Uncertain: items 1, 2 (n8n counts items from 0). Everything else was sent.'}                                                                                                                                                                     | ${{ items: customers(3), rules: [{ what: 'cutAfter', when: { recipient: ['1001', '1002'] } }], run: given.retried }}
		${"Without 'Send Once Key', accepted messages are sent again."}                                                                                                                                                                                     | ${{ items: customers(3), rules: [{ what: 'hang', when: { recipient: '1001' } }], ...given.ONE_BY_ONE, run: given.canceled }}
		${"1 of 7 messages accepted, 3 rejected, 1 uncertain, 1 not attempted, 1 skipped (1 on 'Do Not Contact'). Why: 'Text' is empty (1) · 'Customer ID' is empty (1) · The service rejected the message (400): No (1) · and 2 other reasons"}            | ${given.ALL_ENDS}
		${"0 of 1 message accepted, 1 rejected. Why: 'Text' is empty (1)"}                                                                                                                                                                                  | ${{ ...given.CONTINUE, ...given.text({ text: '' }) }}
		${"Dry run: 1 of 5 messages would be sent, 4 rejected. Why: 'Text' is empty (1) · 'Customer ID' is empty (1) · 'Customer ID' \"1.5\" isn't a whole number (1) · and 1 other reason"}                                                                | ${{ ...given.CONTINUE, items: [given.text({ text: '' }), given.text({ customer: '' }), given.text({ customer: 1.5 }), given.text({ customer: true }), given.text({})].flatMap(({ items }) => items!), safeguards: { ...given.KEY, dryRun: true } }}
		${'3 skipped (3 already sent)'}                                                                                                                                                                                                                     | ${{ items: customers(3), safeguards: given.KEY, run: given.ranTwice }}
		${"The content of items 0, 1 (n8n counts items from 0) changed after an earlier try sent the message. A retry doesn't send it again, so the customer has the earlier content"}                                                                      | ${{ ...given.PARTLY, run: given.retriedAs({ parameters: { text: 'Changed' } }) }}
		${'The send-once keys of 4 earlier messages were removed to make room for newer ones. If those items come back, their messages are sent again'}                                                                                                     | ${{ items: customers(2), safeguards: given.KEY, before: given.fillStore }}
		${`${NODE}: a message was accepted, but its key couldn't be marked as accepted: `}                                                                                                                                                                  | ${{ items: customers(1), safeguards: given.KEY, before: given.breakAcceptance }}
		${' of 200 messages done: '}                                                                                                                                                                                                                        | ${{ items: customers(200), options: { messagesPerSecond: 20 } }}
	`('$message', async ({ message, situation }: Row) => {
		const execution = await given.run(situation);
		const said = [execution.words, ...execution.hints(), ...given.engine.logLines];
		summaries.push(...said);
		expect(said.join('\n')).toContain(message);
		expect(said.join('\n')).not.toMatch(/\w+Error: /);
	});
});

describe('the test of the credential', () => {
	it.each`
		message                                                                                                                                                                                                                                    | reply  | wrongKey | code
		${'The service accepted the API key'}                                                                                                                                                                                                      | ${400} | ${401}   | ${''}
		${"The service didn't accept the API key (401). Check 'API Key', and that 'API Key Header' is the exact header name from the service's API documentation. It said: No"}                                                                    | ${401} | ${0}     | ${''}
		${"The service denied access (403), so the key couldn't be tested. Check 'API Key' and 'API Key Header', and that the key may send messages. It said: No"}                                                                                 | ${403} | ${0}     | ${''}
		${"There is no messaging service at this 'Base URL' (404). Check its path: it ends where /stable/open begins. It said: No"}                                                                                                                | ${404} | ${0}     | ${''}
		${"The service is limiting requests (429), so the key couldn't be tested. Wait a minute, then test again. It said: No"}                                                                                                                    | ${429} | ${0}     | ${''}
		${"The service isn't working properly right now (500), so the key couldn't be tested. Try again later, or check 'Base URL'. It said: No"}                                                                                                  | ${500} | ${0}     | ${''}
		${"This 'Base URL' redirects (308) to www.example.com. Enter the final URL, starting with https://"}                                                                                                                                       | ${308} | ${0}     | ${''}
		${"Something responds at this 'Base URL' (200), but not the messaging service. Check its host and path. It said: No"}                                                                                                                      | ${200} | ${0}     | ${''}
		${"Something responds at this 'Base URL' with more than 1 MB, so it isn't the messaging service. Check its host and path"}                                                                                                                 | ${200} | ${0}     | ${'huge'}
		${"The service responded to a wrong key with 404 instead of 401, so the key couldn't be tested. Check that 'Base URL' is the URL of the messaging service, and that 'API Key Header' is the exact header name from its API documentation"} | ${400} | ${404}   | ${''}
		${"The host of 'Base URL' wasn't found. Check its spelling"}                                                                                                                                                                               | ${0}   | ${0}     | ${'ENOTFOUND'}
		${"Nothing responds at this 'Base URL': the connection was refused. Check its host and port, or try again when the service is up"}                                                                                                         | ${0}   | ${0}     | ${'ECONNREFUSED'}
		${"The service didn't respond within 10 seconds. Check 'Base URL', or try again later"}                                                                                                                                                    | ${0}   | ${0}     | ${'ETIMEDOUT'}
		${"n8n couldn't connect to the service (ECONNRESET). Check 'Base URL', and that n8n can reach it"}                                                                                                                                         | ${0}   | ${0}     | ${'ECONNRESET'}
	`('$message', async ({ message, ...service }: { message: string } & CredentialService) => {
		expect((await given.testCredential(service)).message).toBe(message);
		expect(unexplained(...halves(message))).toBe('');
	});
});

describe('the credential in an HTTP Request node', () => {
	it.each`
		message                                                                  | request
		${"The API key is only sent to the host of the credential's 'Base URL'"} | ${{ url: 'https://example.com' }}
		${"The API key isn't sent through a proxy that is set in a node"}        | ${{ proxy: 'http://proxy.example' }}
		${"The API key is only sent when the service's certificate is checked"}  | ${{ skipSslCertificateValidation: true }}
		${"The API key isn't sent with a 'Host' header of another host"}         | ${{ headers: { Host: 'example.com' } }}
	`('$message', async ({ message, request }: { message: string; request: object }) => {
		const error = await given.refusal(request);
		expect(error.message).toBe(message);
		expect(unexplained(message, String(error.description))).toBe('');
	});
});

test('Troubleshooting has no error, no hint and no line of the log that no row leads to', () => {
	const { hints = [] } = nodeTypes.getByNameAndVersion(OUTBOUND_MESSAGING).description;
	expect(errors.filter((error) => !provoked.has(error))).toEqual([]);
	expect(neverShown(false, [...summaries, ...hints.map(({ message }) => message)])).toEqual([]);
});

const provoked = new Set<Listed>();
const summaries: string[] = [];

async function stopped(situation: Given): Promise<Execution> {
	const execution = await given.run(situation);
	expect(execution.status).toBe('error');
	expect(execution.words).toContain('Nothing was sent.');
	expect(given.engine.ledger.entries()).toEqual([]);
	return execution;
}

async function continued(situation: Given): Promise<Execution> {
	const execution = await given.run(situation, 'continueRegularOutput');
	expect(execution.status).toBe('success');
	return execution;
}

/** The error of the item, or in stop mode of the run. */
function shown(execution: Execution, index: number) {
	const item = execution.json().at(Math.max(index, 0));
	if (item?.details) {
		const { fix, itemIndex } = item.details as IDataObject;
		return { message: item.error, description: String(fix), item: itemIndex };
	}
	const { message, description, context } = execution.error ?? {};
	return { message, description: String(description), item: context?.itemIndex ?? -1 };
}

/** The test of a credential has one line: what happened, how to fix it, and the service's own words. */
function halves(message: string): [message: string, description: string] {
	const [, what, fix = ''] = /^(.*?)(?:\. ([A-Z].*?)\.?(?: It said: .*)?)?$/.exec(message) ?? [];
	return [what, fix];
}

function expectShown(execution: Execution, message: string, item: number): void {
	const error = shown(execution, item);
	expect(error).toMatchObject({ message, item });
	expect(error.description).not.toBe('');
	expect([error.description, unexplained(message, error.description)]).toEqual([
		error.description,
		'',
	]);
}

/** What the node puts around other errors. */
const AROUND_ERRORS = [
	/^('[^']+') (?:value \d+|has an entry that can't be used: entry \d+ \(the first is 1\))/,
	/^(?:This message wasn't sent: the run ended first|An earlier try may have sent .* didn't work)\. ()/,
	/()\. Its send-once key couldn't be released: .*$/,
];
/** What goes with the fixes of many errors; the page has it in front of their tables, or after them. */
const AROUND_FIXES = [
	...listed.filter(({ isError }) => !isError).map(({ text: cell }) => cell),
	'Nothing was sent to this customer',
	'Nothing was sent',
	'You find it in the credential',
	"Check the service's dashboard first",
	"A retry doesn't resend this message unless 'On Uncertain Delivery' is set to Resend",
];

/** What of a description isn't on the page beside its message. */
function unexplained(message: string, description: string): string {
	let rest = description;
	const take = (cell: string): boolean => {
		const found = find(cell, rest);
		rest = rest.replace(found ?? '', '');
		return found !== undefined;
	};
	const texts = [message, ...AROUND_ERRORS.map((pattern) => message.replace(pattern, '$1'))];
	const matching = errors.filter((each) => texts.some((shownText) => isText(each.text, shownText)));
	const named = matching.filter(({ text: cell }) => cell !== '…');
	const own = named.length > 0 ? named : matching;
	for (const each of own.sort(byFix)) {
		if (each.fix === undefined || find(each.fix, description) !== undefined) provoked.add(each);
		take(each.fix ?? '');
	}
	// Beside advice of the page, the node's own words are in another row of the table.
	if (own.every(({ fix }) => fix === undefined)) {
		const { heading } = own[0];
		errors.filter((each) => each.heading === heading).forEach(({ fix = '' }) => take(fix));
	}
	for (const cell of AROUND_FIXES) take(cell);
	rest = rest.replace(/\d+ of \d+ messages? accepted(?:, \d+ [a-z ]+)*/, '');
	return rest.replaceAll(/[\s.]+/g, '');
}

const byFix = (one: Listed, other: Listed) => (other.fix?.length ?? 0) - (one.fix?.length ?? 0);
