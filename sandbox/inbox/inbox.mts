// The page behind the feed. Whatever a message holds is put in as text, never as markup.
import type { FeedItem, MessageItem, RejectedItem, SandboxState } from '../feed.cts';
import type { MessageBody, OperationName } from '../specification.cts';

const MAX_MESSAGES = 500;
const MAX_REJECTED = 200;
const ONLY_EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]{1,8}$/u;

interface Phone {
	root: HTMLElement;
	title: HTMLElement;
	note: HTMLElement;
	list: HTMLElement;
	total: number;
	number?: string | null;
}

const byId = (id: string) => document.getElementById(id)!;
const phones = new Map<number, Phone>();
const shown: Array<{ bubble: HTMLElement; customerId: number }> = [];
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const count = new Intl.NumberFormat();

function element<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	className: string,
	...children: Array<Node | string | undefined>
): HTMLElementTagNameMap[Name] {
	const made = document.createElement(name);
	if (className) made.className = className;
	made.append(...children.filter((child) => child !== undefined));
	return made;
}

function icon(name: string) {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
	use.setAttribute('href', `#${name}`);
	svg.setAttribute('aria-hidden', 'true');
	svg.append(use);
	return svg;
}

/** Text of a customer's language: the browser finds out which way it runs. */
function paragraph(className: string, text: string) {
	const made = element('p', className, text);
	made.dir = 'auto';
	return made;
}

/** Text whose links can be clicked, as on a phone. */
function linked(className: string, text: string) {
	const made = paragraph(className, '');
	// Every second part is a link.
	made.append(
		...text.split(/(https?:\/\/[^\s<>"]+)/).map((part, at) => (at % 2 ? linkTo(part) : part)),
	);
	return made;
}

function linkTo(url: string) {
	const link = element('a', 'url', url);
	link.href = url;
	link.target = '_blank';
	link.rel = 'noopener noreferrer';
	return link;
}

function fileName(url: string): string {
	const { hostname, pathname } = new URL(url);
	return pathname.split('/').filter(Boolean).at(-1) ?? hostname;
}

/** Nothing is fetched: the file is a placeholder. */
function media(type: string, url: string) {
	return element(
		'figure',
		`media ${type}`,
		element('div', 'preview', icon(type)),
		element('figcaption', '', paragraph('file', fileName(url)), linkTo(url)),
	);
}

/** A long name goes on in the next line after an underscore, and not inside a word. */
const breakable = (name: string) =>
	name.split(/(?<=[_-])/).flatMap((word) => [word, element('wbr', '')]);

function templateCard(
	{ template_id, attributes = {}, attachment = {} }: MessageBody<'send_template_message'>,
	{ text, problem }: MessageItem,
) {
	const [header] = Object.entries(attachment);
	const values = Object.entries(attributes).map(([position, value]) =>
		element('li', '', element('span', 'position', position), linked('', value)),
	);
	return [
		header && media(...header),
		element('h3', 'template', icon('template'), element('span', '', ...breakable(template_id))),
		text === undefined ? undefined : linked('text', text),
		problem === undefined ? undefined : element('p', 'problem', problem),
		values.length > 0 && text === undefined ? element('ol', 'attributes', ...values) : undefined,
	];
}

const contents: {
	[Name in OperationName]: (
		body: MessageBody<Name>,
		item: MessageItem,
	) => Array<HTMLElement | undefined>;
} = {
	send_template_message: templateCard,
	send_text_message: ({ text }) => [linked(ONLY_EMOJI.test(text) ? 'text emoji' : 'text', text)],
	send_attachment_message: (body) => [media(body.attachment_type, body.attachment_url)],
};

function contentOf<Name extends OperationName>(
	operation: Name,
	body: MessageBody<Name>,
	item: MessageItem,
) {
	return contents[operation](body, item);
}

function statusLine({ operation, at, duplicate, fault, content }: MessageItem) {
	const status = operation === 'send_template_message' ? 'ongoing' : 'sent';
	const time = element('time', '', clock.format(at));
	time.dateTime = new Date(at).toISOString();
	return element(
		'footer',
		'',
		'channel_id' in content
			? element('span', 'channel', 'via ', element('b', '', content.channel_id))
			: undefined,
		duplicate ? element('span', 'chip warn', 'duplicate') : undefined,
		fault ? element('span', 'chip', fault) : undefined,
		time,
		element('span', `status ${status}`, icon(status), status),
	);
}

/** `template`, `text` or `attachment`. */
const kindOf = (operation: OperationName) => operation.split('_')[1];

function bubbleOf(item: MessageItem) {
	const className = `bubble ${kindOf(item.operation)}${item.duplicate ? ' duplicate' : ''}`;
	return element(
		'li',
		className,
		...contentOf(item.operation, item.content, item),
		statusLine(item),
	);
}

/** One phone per customer: a template knows the number, a text only the customer. */
function phoneOf(item: MessageItem): Phone {
	let phone = phones.get(item.customerId);
	if (!phone) {
		const template = byId('phone') as HTMLTemplateElement;
		const root = template.content.firstElementChild!.cloneNode(true) as HTMLElement;
		root.style.setProperty('--hue', `${item.customerId % 360}`);
		const part = (selector: string) => root.querySelector<HTMLElement>(selector)!;
		phone = { root, title: part('h2'), note: part('header p'), list: part('ol'), total: 0 };
		phones.set(item.customerId, phone);
	}
	if (item.operation === 'send_template_message') phone.number = item.recipient;
	return phone;
}

function describe(phone: Phone, customerId: number): void {
	const messages = `${count.format(phone.total)} ${phone.total === 1 ? 'message' : 'messages'}`;
	phone.title.textContent = phone.number ?? `Customer ${customerId}`;
	phone.note.textContent = phone.number ? `Customer ${customerId} · ${messages}` : messages;
	phone.root.querySelector('.screen')!.ariaLabel = `Messages to ${phone.title.textContent}`;
}

function showMessage(item: MessageItem, isNew: boolean): void {
	const phone = phoneOf(item);
	const bubble = bubbleOf(item);
	if (isNew) bubble.classList.add('new');
	phone.list.append(bubble);
	// What came last is in sight, however many customers there are.
	if (phone.root !== byId('phones').firstElementChild) byId('phones').prepend(phone.root);
	phone.total++;
	describe(phone, item.customerId);
	shown.push({ bubble, customerId: item.customerId });
	if (shown.length > MAX_MESSAGES) forgetOldest();
}

function forgetOldest(): void {
	const { bubble, customerId } = shown.shift()!;
	const phone = phones.get(customerId)!;
	bubble.remove();
	phone.total--;
	if (phone.total > 0) return describe(phone, customerId);
	phone.root.remove();
	phones.delete(customerId);
}

function showRejected(
	{ status, code, reason, recipient, operation, at }: RejectedItem,
	isNew: boolean,
): void {
	const to = recipient === null ? '' : ` to ${recipient}`;
	const made = element(
		'li',
		isNew ? 'new' : '',
		element('span', 'chip', status === null ? 'no answer' : String(status)),
		element('code', '', code),
		paragraph('reason', reason),
		element('p', 'about', `${kindOf(operation)}${to} · ${clock.format(at)}`),
	);
	const list = byId('rejected-list');
	list.prepend(made);
	if (list.childElementCount > MAX_REJECTED) list.lastElementChild?.remove();
}

function show(items: FeedItem[], isNew: boolean): void {
	for (const item of items) {
		if (item.kind === 'message') showMessage(item, isNew);
		else showRejected(item, isNew);
	}
	byId('empty').hidden = phones.size > 0;
	byId('rejected-part').hidden = byId('rejected-list').childElementCount === 0;
}

function showState({ counters, faults, basePath, headerName }: SandboxState): void {
	for (const name of ['accepted', 'rejected', 'duplicates'] as const) {
		byId(name).textContent = count.format(counters[name]);
		byId(name).parentElement?.classList.toggle('none', counters[name] === 0);
	}
	byId('faults').hidden = faults.length === 0;
	byId('fault-names').replaceChildren(...faults.map((name) => element('span', 'chip', name)));
	byId('base-url').textContent = location.origin + basePath;
	byId('header-name').textContent = headerName;
}

function forgetAll(): void {
	phones.clear();
	shown.length = 0;
	byId('phones').replaceChildren();
	byId('rejected-list').replaceChildren();
	show([], false);
}

function live(label: string, isLive: boolean): void {
	byId('live').textContent = label;
	byId('live').classList.toggle('on', isLive);
}

const feed = new EventSource('/_sandbox/feed');
type Batch = SandboxState & { items: FeedItem[] };
const on = (name: string, act: (batch: Batch) => void) =>
	feed.addEventListener(name, ({ data }: MessageEvent<string>) => act(JSON.parse(data) as Batch));
on('hello', (state) => {
	live('live', true);
	forgetAll();
	showState(state);
	show(state.items, false);
});
on('batch', (state) => {
	showState(state);
	show(state.items, true);
});
on('clear', (state) => {
	forgetAll();
	showState(state);
});
feed.onerror = () => live('waiting for the sandbox', false);
byId('clear').onclick = () => fetch('/_sandbox/ledger', { method: 'DELETE' });
