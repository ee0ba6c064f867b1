// The page behind the feed. Whatever a message holds is put in as text, never as markup.

const MOST_MESSAGES = 500;
const MOST_REFUSALS = 200;
const ONLY_EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]{1,8}$/u;

const byId = (id) => document.getElementById(id);
const phones = new Map();
const shown = [];
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const count = new Intl.NumberFormat();

function element(name, className, ...children) {
	const made = document.createElement(name);
	if (className) made.className = className;
	made.append(...children.filter((child) => child !== undefined));
	return made;
}

function icon(name) {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
	use.setAttribute('href', `#${name}`);
	svg.setAttribute('aria-hidden', 'true');
	svg.append(use);
	return svg;
}

/** Text of a customer's language: the browser finds out which way it runs. */
function words(className, text) {
	const made = element('p', className, text);
	made.dir = 'auto';
	return made;
}

function fileName(url) {
	const { hostname, pathname } = new URL(url);
	const last = pathname.split('/').filter(Boolean).at(-1);
	try {
		return decodeURIComponent(last ?? hostname);
	} catch {
		return last;
	}
}

/** Nothing is fetched: a quiet placeholder stands for the file. */
function media(type, url) {
	const link = element('a', 'url', url);
	link.href = url;
	link.target = '_blank';
	link.rel = 'noopener noreferrer';
	return element(
		'figure',
		`media ${type}`,
		element('div', 'preview', icon(type)),
		element('figcaption', '', words('file', fileName(url)), link),
	);
}

function templateCard({ template_id, attributes = {}, attachment = {} }) {
	const [header] = Object.entries(attachment);
	const values = Object.entries(attributes).map(([position, value]) =>
		element('li', '', element('span', 'position', position), words('', value)),
	);
	return [
		header && media(...header),
		element('h3', 'template', icon('template'), element('span', '', template_id)),
		values.length > 0 ? element('ol', 'attributes', ...values) : undefined,
	];
}

const contents = {
	send_template_message: templateCard,
	send_text_message: ({ text }) => [words(ONLY_EMOJI.test(text) ? 'text emoji' : 'text', text)],
	send_attachment_message: (body) => [media(body.attachment_type, body.attachment_url)],
};

function statusLine({ operation, at, duplicate, fault, content }) {
	const status = operation === 'send_template_message' ? 'ongoing' : 'sent';
	const time = element('time', '', clock.format(at));
	time.dateTime = new Date(at).toISOString();
	return element(
		'footer',
		'',
		content.channel_id
			? element('span', 'channel', 'via ', element('b', '', content.channel_id))
			: undefined,
		duplicate ? element('span', 'chip warn', 'duplicate') : undefined,
		fault ? element('span', 'chip', fault) : undefined,
		time,
		element('span', `status ${status}`, icon(status), status),
	);
}

function bubble(item) {
	const kind = item.operation.split('_')[1];
	const className = `bubble ${kind}${item.duplicate ? ' duplicate' : ''}`;
	return element('li', className, ...contents[item.operation](item.content), statusLine(item));
}

/** One phone per customer: a template knows the number, a text only the customer. */
function phoneOf(item) {
	let phone = phones.get(item.customerId);
	if (!phone) {
		const root = byId('phone').content.firstElementChild.cloneNode(true);
		root.style.setProperty('--hue', item.customerId % 360);
		const [title, note] = [root.querySelector('h2'), root.querySelector('header p')];
		phone = { root, title, note, list: root.querySelector('ol'), total: 0 };
		phones.set(item.customerId, phone);
		byId('phones').prepend(root);
	}
	if (item.operation === 'send_template_message') phone.number = item.recipient;
	return phone;
}

function describe(phone, customerId) {
	const messages = `${count.format(phone.total)} ${phone.total === 1 ? 'message' : 'messages'}`;
	phone.title.textContent = phone.number ?? `Customer ${customerId}`;
	phone.note.textContent = phone.number ? `Customer ${customerId} · ${messages}` : messages;
	phone.root.querySelector('.screen').ariaLabel = `Messages to ${phone.title.textContent}`;
}

function showMessage(item, isNew) {
	const phone = phoneOf(item);
	const made = bubble(item);
	if (isNew) made.classList.add('new');
	phone.list.append(made);
	phone.total++;
	describe(phone, item.customerId);
	shown.push({ made, customerId: item.customerId });
	if (shown.length > MOST_MESSAGES) forgetOldest();
}

function forgetOldest() {
	const { made, customerId } = shown.shift();
	const phone = phones.get(customerId);
	made.remove();
	phone.total--;
	if (phone.total > 0) return describe(phone, customerId);
	phone.root.remove();
	phones.delete(customerId);
}

const operationWords = {
	send_template_message: 'template',
	send_text_message: 'text',
	send_attachment_message: 'attachment',
};

function showRefusal({ status, code, reason, recipient, operation, at }, isNew) {
	const to = recipient === null ? '' : ` to ${recipient}`;
	const made = element(
		'li',
		isNew ? 'new' : '',
		element('span', 'chip', status === null ? 'no answer' : String(status)),
		element('code', '', code),
		words('reason', reason),
		element('p', 'about', `${operationWords[operation]}${to} · ${clock.format(at)}`),
	);
	const list = byId('refused');
	list.prepend(made);
	if (list.childElementCount > MOST_REFUSALS) list.lastElementChild.remove();
}

function show(items, isNew) {
	for (const item of items) (item.kind === 'message' ? showMessage : showRefusal)(item, isNew);
	byId('empty').hidden = phones.size > 0;
	byId('refusals').hidden = byId('refused').childElementCount === 0;
}

function showState({ counters, faults, basePath, headerName }) {
	for (const name of ['accepted', 'rejected', 'duplicates']) {
		byId(name).textContent = count.format(counters[name]);
		byId(name).parentElement.classList.toggle('none', counters[name] === 0);
	}
	byId('faults').hidden = faults.length === 0;
	byId('fault-names').replaceChildren(...faults.map((name) => element('span', 'chip', name)));
	byId('base-url').textContent = location.origin + basePath;
	byId('header-name').textContent = headerName;
}

function forgetAll() {
	phones.clear();
	shown.length = 0;
	byId('phones').replaceChildren();
	byId('refused').replaceChildren();
	show([]);
}

function live(words, isLive) {
	byId('live').textContent = words;
	byId('live').classList.toggle('on', isLive);
}

const feed = new EventSource('/_sandbox/feed');
const on = (name, act) => feed.addEventListener(name, ({ data }) => act(JSON.parse(data)));
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
