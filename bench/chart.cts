/** A bar chart as SVG, for light and dark pages. */

const WIDTH = 760;
const LABELS = 200;
const STEP = 28;
const TOP = 72;

const STYLE = `
	text { font: 13px system-ui, 'Segoe UI', Roboto, sans-serif; fill: #1f2328; }
	.title { font-size: 17px; font-weight: 600; }
	.ours { font-weight: 600; }
	.soft { fill: #59636e; }
	rect { fill: #b6bfc9; }
	rect.ours { fill: #5b4bdb; }
	.page { fill: #ffffff; }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc; }
		.soft { fill: #9198a1; }
		rect { fill: #4b545f; }
		rect.ours { fill: #9d8dff; }
		.page { fill: #0d1117; }
	}`;

interface Chart {
	title: string;
	subtitle: string;
	foot: string;
	groups: Array<{
		title: string;
		bars: Array<{ label: string; isOurs: boolean; value: number }>;
	}>;
}

export function barChart({ title, subtitle, foot, groups }: Chart): string {
	const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
	const parts: string[] = [];
	let y = TOP;
	for (const group of groups) {
		parts.push(text(24, y + 18, group.title, 'ours'));
		y += STEP;
		for (const { label, isOurs, value } of group.bars) {
			const width = Math.round((value / most) * (WIDTH - LABELS - 100));
			const kind = isOurs ? 'ours' : '';
			parts.push(
				text(40, y + 15, label, kind),
				`<rect class="${kind}" x="${LABELS}" y="${y}" width="${width}" height="20" rx="3"/>`,
				text(LABELS + width + 8, y + 15, value.toLocaleString('en'), kind),
			);
			y += STEP;
		}
		y += 10;
	}
	const height = y + 44;
	const inWords = groups.map(
		(group) =>
			`${group.title}: ${group.bars.map(({ label, value }) => `${label} ${value}`).join(', ')}.`,
	);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escape(title)}</title>
<desc id="desc">${escape(inWords.join(' '))}</desc>
<style>${STYLE}
</style>
<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>
${text(24, 32, title, 'title')}
${text(24, 54, subtitle, 'soft')}
${parts.join('\n')}
${text(24, height - 18, foot, 'soft')}
</svg>
`;
}

const text = (x: number, y: number, content: string, className: string) =>
	`<text x="${x}" y="${y}" class="${className}">${escape(content)}</text>`;

const escape = (value: string) => value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
