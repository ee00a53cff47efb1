import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type ReadMail, readMail, toContent } from './message.ts';
import { type Escaped, html, POLICY, page } from './page-layout.ts';
import { ANA, MAILBOXES, nameMailbox } from './people.ts';
import type { PostOffice } from './post-office.ts';
import type { MailContent, StoredMail } from './store.ts';
import { MAIL_PAGE } from './texts.ts';

/** Largest form that is read, in bytes. */
const LARGEST_FORM = 100_000;

const formSchema = z.object({
  from: z.email(),
  to: z.email(),
  subject: z.string().max(250).default(''),
  body: z.string().trim().min(1),
});

/** Shows the mailboxes to whoever uses the local workspace, and takes mails that somebody writes to them. */
export async function handleMailPage(
  office: PostOffice,
  request: IncomingMessage,
  response: ServerResponse,
  { smtpPort }: { readonly smtpPort: number },
): Promise<void> {
  if (request.method === 'POST') return takeMail(office, request, response);
  const asked = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const mailbox = asked.get('of') ?? ANA;
  const content = await office.read();
  const shown = content.messages.find((one) => one.mailbox === mailbox && one.id === asked.get('show'));
  const mails = shown ? await showMail(await readMail(shown)) : await listMails(content, mailbox);
  send(response, 200, {
    title: MAIL_PAGE.tab(nameMailbox(mailbox)),
    body: html`${navigation(content, mailbox)}
<main>
<h1><bdi>${nameMailbox(mailbox)}</bdi> <small><bdi>${mailbox}</bdi></small></h1>
<div id="mails">${mails}</div>
${shown ? html`` : writeForm(mailbox)}
<p class="soft">${MAIL_PAGE.standsIn(smtpPort)}</p>
</main>`,
  });
}

async function takeMail(
  office: PostOffice,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = formSchema.safeParse(await readForm(request));
  if (!read.success) {
    const body = html`<main><p>${MAIL_PAGE.notSent}</p><p><a href="/mail">${MAIL_PAGE.back}</a></p></main>`;
    return send(response, 400, { title: MAIL_PAGE.mailboxes, body });
  }
  const { from, to, subject, body } = read.data;
  const mail = { to: [to], cc: [], bcc: [], subject, body, references: [] };
  await office.send({ ...mail, from: { name: '', address: from.toLowerCase() } });
  response.writeHead(303, { location: mailboxAddress(to.toLowerCase()), 'cache-control': 'no-store' });
  response.end();
}

function navigation({ messages }: MailContent, current: string): Escaped {
  const people = MAILBOXES.map(({ address }) => address);
  const outside = [...new Set(messages.map(({ mailbox }) => mailbox))].filter((one) => !people.includes(one));
  const link = (mailbox: string) => {
    const unread = messages.filter((one) => one.mailbox === mailbox && one.unread).length;
    const count = unread > 0 ? html` <b aria-label="${unread} ${MAIL_PAGE.unread}">${unread}</b>` : html``;
    const here = mailbox === current ? html` aria-current="page"` : html``;
    return html`<li><a href="${mailboxAddress(mailbox)}"${here}><bdi>${nameMailbox(mailbox)}</bdi>${count}</a></li>`;
  };
  const others =
    outside.length === 0 ? html`` : html`<h2>${MAIL_PAGE.outside}</h2><ul>${outside.sort().map(link)}</ul>`;
  return html`<nav aria-label="${MAIL_PAGE.mailboxes}"><h2>${MAIL_PAGE.mailboxes}</h2><ul>${people.map(link)}</ul>${others}</nav>`;
}

async function listMails({ messages }: MailContent, mailbox: string): Promise<Escaped> {
  const own = messages.filter((one) => one.mailbox === mailbox);
  const list = async (folder: StoredMail['folder']) => {
    const mails = await Promise.all(own.filter((one) => one.folder === folder).map(readMail));
    const byTime = mails.toSorted((one, other) => other.stored.arrivedAt.localeCompare(one.stored.arrivedAt));
    const lines = byTime.map(listedMail);
    const shown = lines.length === 0 ? html`<p class="soft">${MAIL_PAGE.none}</p>` : html`<ul>${lines}</ul>`;
    const title = folder === 'inbox' ? MAIL_PAGE.inbox : MAIL_PAGE.sent;
    return html`<section aria-labelledby="${folder}"><h2 id="${folder}">${title}</h2>${shown}</section>`;
  };
  return html`${await list('inbox')}${await list('sent')}`;
}

function listedMail(mail: ReadMail): Escaped {
  const { stored } = mail;
  const { from, to, subject, beginning, arrived_at } = toContent(mail);
  const who = stored.folder === 'inbox' ? html`<bdi>${from}</bdi>` : html`${MAIL_PAGE.to} <bdi>${to}</bdi>`;
  const unread = stored.unread ? html` class="unread"` : html``;
  return html`<li${unread}><a href="${mailboxAddress(stored.mailbox)}&amp;show=${stored.id}">
<span class="who">${who}</span><time datetime="${arrived_at}">${formatTime(arrived_at)}</time>
<span class="subject" dir="auto">${subject || MAIL_PAGE.noSubject}</span>
<span class="soft" dir="auto">${beginning}</span></a></li>`;
}

async function showMail(mail: ReadMail): Promise<Escaped> {
  const { from, to, cc, subject, arrived_at, text, quoted, attachments } = toContent(mail);
  const field = (name: string, value: string) =>
    value === '' ? html`` : html`<dt>${name}</dt><dd><bdi>${value}</bdi></dd>`;
  const files = attachments.map(({ name, bytes }) => html`<div><bdi>${name}</bdi> (${bytes} B)</div>`);
  const attached = files.length === 0 ? html`` : html`<dt>${MAIL_PAGE.attachments}</dt><dd>${files}</dd>`;
  return html`<p><a href="${mailboxAddress(mail.stored.mailbox)}">${MAIL_PAGE.back}</a></p>
<article><h2 dir="auto">${subject || MAIL_PAGE.noSubject}</h2>
<dl>${field(MAIL_PAGE.from, from)}${field(MAIL_PAGE.to, to)}${field(MAIL_PAGE.cc, cc)}${field(MAIL_PAGE.date, formatTime(arrived_at))}${attached}</dl>
<pre dir="auto">${text}</pre>
${quoted === '' ? html`` : html`<pre class="soft" dir="auto">${quoted}</pre>`}</article>`;
}

function writeForm(mailbox: string): Escaped {
  const field = (name: string, label: string, more: Escaped) =>
    html`<label>${label} <input name="${name}"${more}></label>`;
  return html`<details><summary>${MAIL_PAGE.write(nameMailbox(mailbox))}</summary>
<form method="post" action="/mail"><input type="hidden" name="to" value="${mailbox}">
${field('from', MAIL_PAGE.writeAs, html` type="email" required value="${MAIL_PAGE.writer}"`)}
${field('subject', MAIL_PAGE.subject, html` maxlength="250"`)}
<label>${MAIL_PAGE.text} <textarea name="body" rows="6" required></textarea></label>
<button>${MAIL_PAGE.send}</button></form></details>`;
}

function mailboxAddress(mailbox: string): string {
  return `/mail?of=${encodeURIComponent(mailbox)}`;
}

function formatTime(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

function send(
  response: ServerResponse,
  status: number,
  shown: { readonly title: string; readonly body: Escaped },
): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  });
  response.end(page(shown));
}

async function readForm(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST_FORM) return null;
    chunks.push(bytes);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
}
