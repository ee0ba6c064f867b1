/** Bar charts as SVG, for light and dark pages. */

const WIDTH = 760;
const LABELS = 264;
const VALUES = 76;
const BAR = 20;
const STEP = 28;
const GROUP_HEAD = 34;
const TOP = 66;
const BOTTOM = 58;
const LINE = 20;

const STYLE = `
	text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: #1f2328; }
	.title { font-size: 17px; font-weight: 600; }
	.group { font-weight: 600; }
	.soft { fill: #59636e; }
	.value { font-variant-numeric: tabular-nums; }
	.ours { font-weight: 600; }
	.page { fill: #ffffff; }
	.axis { stroke: #d1d9e0; }
	.spread { stroke: #1f2328; stroke-opacity: .55; stroke-width: 1.5; fill: none; }
	.bar { fill: #b6bfc9; }
	.bar.ours { fill: #5b4bdb; }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc; }
		.soft { fill: #9198a1; }
		.page { fill: #0d1117; }
		.axis { stroke: #3d444d; }
		.spread { stroke: #f0f6fc; }
		.bar { fill: #4b545f; }
		.bar.ours { fill: #9d8dff; }
	}`;

export interface Bar {
	label: string;
	kind: 'ours' | 'other';
	/** What is written next to it. */
	text: string;
	median: number;
	min: number;
	max: number;
}

interface Content {
	title: string;
	subtitle: string;
	legend: string;
	foot: string;
	groups: Array<{ title: string; bars: Bar[] }>;
}

export function barChart({ title, subtitle, legend, foot, groups }: Content): string {
	const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ max }) => max)));
	const scale = (value: number) => (value / most) * (WIDTH - LABELS - VALUES - 24);
	const parts: string[] = [];
	let y = TOP;
	for (const group of groups) {
		parts.push(text(24, y + 20, group.title, 'group'));
		y += GROUP_HEAD;
		parts.push(line(LABELS, y - 3, LABELS, y + group.bars.length * STEP - STEP + BAR + 3, 'axis'));
		for (const bar of group.bars) {
			parts.push(...drawBar(bar, y, scale));
			y += STEP;
		}
		y += 6;
	}
	const height = y + BOTTOM;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escape(title)}</title>
<desc id="desc">${escape(inWords(groups))}</desc>
<style>${STYLE}
</style>
<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>
${text(24, 32, title, 'title')}
${text(24, 52, subtitle, 'soft')}
${parts.join('\n')}
${text(24, height - 18 - LINE, legend, 'soft')}
${text(24, height - 18, foot, 'soft')}
</svg>
`;
}

function drawBar(
	{ label, kind, text: value, median, min, max }: Bar,
	y: number,
	scale: (value: number) => number,
) {
	const width = Math.max(1, scale(median));
	const middle = y + BAR / 2;
	const [left, right] = [LABELS + scale(min), LABELS + scale(max)];
	const emphasis = kind === 'ours' ? ' ours' : '';
	return [
		text(LABELS - 12, middle + 5, label, emphasis.trim(), 'end'),
		`<rect class="bar ${kind}" x="${LABELS}" y="${y}" width="${round(width)}" height="${BAR}" rx="3"/>`,
		// A spread of a pixel or two is only noise for the eye.
		right - left > 3
			? `<path class="spread" d="M${round(left)} ${middle}H${round(right)}M${round(left)} ${middle - 4}v8M${round(right)} ${middle - 4}v8"/>`
			: '',
		text(Math.max(right, LABELS + width) + 8, middle + 5, value, `value${emphasis}`),
	].filter(Boolean);
}

const text = (x: number, y: number, content: string, className = '', anchor = '') =>
	`<text x="${round(x)}" y="${round(y)}"${className ? ` class="${className}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}>${escape(content)}</text>`;

const line = (x1: number, y1: number, x2: number, y2: number, className: string) =>
	`<path class="${className}" d="M${x1} ${y1}L${x2} ${y2}"/>`;

const round = (value: number) => Number(value.toFixed(1));

const inWords = (groups: Content['groups']) =>
	groups
		.map(
			({ title, bars }) =>
				`${title}: ${bars.map(({ label, text: value }) => `${label} ${value}`).join(', ')}.`,
		)
		.join(' ');

const escape = (value: string) => value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
