/** A self-made certificate for 127.0.0.1, without any tool beside Node: an X.509 certificate is a little DER. */
const crypto = require('node:crypto');

const VALID_DAYS = 30;

function der(tag, ...contents) {
	const content = Buffer.concat(contents);
	const { length } = content;
	const size =
		length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents) => der(0x30, ...contents);
const set = (...contents) => der(0x31, ...contents);
const integer = (...bytes) => der(0x02, Buffer.from(bytes));
const oid = (hex) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (content) => der(0x04, content);
const bits = (content) => der(0x03, Buffer.from([0]), content);
const tagged = (number, ...contents) => der(0xa0 + number, ...contents);
const time = (date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`));

const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAMES = oid('551d11');
const BASIC_CONSTRAINTS = oid('551d13');
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const TRUE = der(0x01, Buffer.from([0xff]));

/** @returns {{ key: string, cert: string }} in PEM */
function selfSigned() {
	const pair = crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
	const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from('bench')))));
	const address = der(0x87, Buffer.from([127, 0, 0, 1]));
	const now = Date.now();
	const content = sequence(
		tagged(0, integer(2)),
		integer(1),
		ECDSA_WITH_SHA256,
		name,
		sequence(time(new Date(now - 86_400_000)), time(new Date(now + VALID_DAYS * 86_400_000))),
		name,
		pair.publicKey.export({ type: 'spki', format: 'der' }),
		tagged(
			3,
			sequence(
				sequence(ALTERNATIVE_NAMES, octets(sequence(address))),
				sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
			),
		),
	);
	const signature = crypto.sign('sha256', content, pair.privateKey);
	const certificate = sequence(content, ECDSA_WITH_SHA256, bits(signature));
	const base64 = certificate.toString('base64').match(/.{1,64}/g);
	return {
		key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
		cert: ['-----BEGIN CERTIFICATE-----', ...base64, '-----END CERTIFICATE-----', ''].join('\n'),
	};
}

module.exports = { selfSigned };
