/** Makes PNG pictures of screens smaller without changing a pixel. */
const zlib = require('node:zlib');

const SIGNATURE_BYTES = 8;
/** Bytes per pixel by colour type, at 8 bits a channel. */
const CHANNELS = { 0: 1, 2: 3, 4: 2, 6: 4 };

/**
 * Packs a picture anew without row filters: they help photographs, but in flat areas and sharp letters they hide
 * the repetitions that the compression lives on.
 *
 * @param {Buffer} png as browsers write it: 8 bits a channel, not interlaced
 * @returns {Buffer} the smaller one of the two
 */
function repacked(png) {
	const chunks = [...chunksOf(png)];
	const header = chunks.find(({ type }) => type === 'IHDR').data;
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	const bytes = CHANNELS[header[9]];
	if (header[8] !== 8 || !bytes || header[12] !== 0) return png;

	const isPixels = ({ type }) => type === 'IDAT';
	const rows = zlib.inflateSync(Buffer.concat(chunks.filter(isPixels).map(({ data }) => data)));
	unfilter(rows, { stride: width * bytes + 1, height, bytes });
	const pixels = zlib.deflateSync(rows, { level: 9, memLevel: 9 });

	const first = chunks.findIndex(isPixels);
	const before = chunks.slice(0, first);
	const after = chunks.slice(first).filter((chunk) => !isPixels(chunk));
	const packed = Buffer.concat([
		png.subarray(0, SIGNATURE_BYTES),
		...[...before, { type: 'IDAT', data: pixels }, ...after].map(written),
	]);
	return packed.length < png.length ? packed : png;
}

function* chunksOf(png) {
	for (let at = SIGNATURE_BYTES; at < png.length; ) {
		const length = png.readUInt32BE(at);
		const type = png.toString('latin1', at + 4, at + 8);
		yield { type, data: png.subarray(at + 8, at + 8 + length) };
		at += 12 + length;
	}
}

function written({ type, data }) {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const chunk = Buffer.alloc(body.length + 8);
	chunk.writeUInt32BE(data.length, 0);
	body.copy(chunk, 4);
	chunk.writeUInt32BE(zlib.crc32(body), body.length + 4);
	return chunk;
}

/** Turns the rows, each with its filter in front, into plain ones, in place. */
function unfilter(rows, { stride, height, bytes }) {
	for (let y = 0; y < height; y++) {
		const start = y * stride;
		const predict = PREDICTIONS[rows[start]];
		for (let x = 1; x < stride; x++) {
			const at = start + x;
			const left = x > bytes ? rows[at - bytes] : 0;
			const above = y > 0 ? rows[at - stride] : 0;
			const corner = x > bytes && y > 0 ? rows[at - stride - bytes] : 0;
			rows[at] += predict(left, above, corner);
		}
		rows[start] = 0;
	}
}

/** The five filters of the format, in their order. */
const PREDICTIONS = [
	() => 0,
	(left) => left,
	(_, above) => above,
	(left, above) => (left + above) >> 1,
	(left, above, corner) => {
		const guess = left + above - corner;
		const [a, b, c] = [left, above, corner].map((each) => Math.abs(guess - each));
		if (a <= b && a <= c) return left;
		return b <= c ? above : corner;
	},
];

module.exports = { repacked };
