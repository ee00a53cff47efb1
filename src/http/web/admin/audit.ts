import { html } from 'hono/html';
import { stream } from 'hono/streaming';
import { z } from 'zod';
import { type AuditEntry, auditActionSchema, callKey, NO_THREAD } from '../../../gate/types.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Store } from '../../../storage/store.ts';
import { day, personMatcher, text, unreadable } from '../calls/filters.ts';
import { nameSession } from '../calls/parts.ts';
import { instant } from '../pages/instant.ts';
import type { Html, HtmlPart } from '../pages/layout.ts';
import { redirect } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { describeEntry } from './audit-words.ts';
import { card, table } from './parts.ts';
import type { AdminPorts, VerificationState } from './ports.ts';
import { type Admin, type AdminShell, adminForm } from './shell.ts';
import { AUDIT } from './texts.ts';

/** Entries that are looked at, and of those that fit, the most that are shown. */
const LOOKED_AT = 1_000;
const SHOWN = 100;

const filterSchema = z.strictObject({
  person: text,
  thread: text,
  what: auditActionSchema.or(z.literal('')).default(''),
  from: day,
  to: day,
});
type Filter = z.infer<typeof filterSchema>;
const startSchema = z.object({ about: z.string() });

/** The audit: the latest entries in words, whether all of it is as it was written, and all of it as a file. */
export function auditPage(
  shell: AdminShell,
  { store, ...ports }: AdminPorts & { readonly store: Store },
  web: WebPorts,
): void {
  shell.show('audit', async (c, admin) => {
    const asked = filterSchema.safeParse(c.req.query());
    const filter = asked.success ? asked.data : filterSchema.parse({});
    const { thread } = filter;
    // A filter that can't be read must not widen what is listed.
    const read = asked.success ? await ports.audit.latest(thread === '' ? null : thread, LOOKED_AT) : [];
    const unread = asked.success ? null : unreadable(asked.error);
    const entries = read.filter(fits(filter));
    const state = ports.audit.verification.state();
    const shown = entries.slice(0, SHOWN);
    const threads = new Map(
      await Promise.all(
        [...new Set(shown.map(({ threadId }) => threadId))].map(
          async (threadId) => [threadId, await threadCell({ shell, store, web }, threadId, admin)] as const,
        ),
      ),
    );
    const rows = await Promise.all(
      shown.map(async (entry) => [
        instant(entry.at),
        visible(entry.actor.name),
        callLink({ web }, entry, await describeEntry(entry, ports.nameOf)),
        threads.get(entry.threadId) ?? null,
      ]),
    );
    return {
      isUnfinished: state.kind === 'running',
      body: html`${card(AUDIT.verify, verification(state, admin))}
${card(AUDIT.latest, filterForm(filter), unread, html`<p class="small soft">${AUDIT.shown(Math.min(SHOWN, entries.length), read.length)}</p>`, table({ caption: AUDIT.latest, headings: AUDIT.headings, rows, empty: AUDIT.none }))}
${card(AUDIT.export, html`<p>${AUDIT.exportWhat}</p><p><a class="button go" href="${shell.url('audit')}/export">${AUDIT.exportIt}</a></p>`)}`,
    };
  });

  shell.serve('audit', 'export', async (c) => {
    c.header('Content-Type', 'application/jsonl');
    c.header('Content-Disposition', AUDIT.exportAs);
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    return stream(c, async (answer) => {
      for await (const entry of ports.audit.export()) {
        if (answer.aborted) return;
        await answer.write(`${JSON.stringify(entry)}\n`);
      }
    });
  });

  shell.act('audit', 'verify', {
    schema: startSchema,
    async act() {
      ports.audit.verification.start();
      return redirect(shell.url('audit'));
    },
  });

  function verification(state: VerificationState, admin: Admin): Html {
    const said = describeState(state);
    if (state.kind === 'running') return said;
    const fields = html`<button class="go">${AUDIT.verifyNow}</button>`;
    return html`${said}${adminForm(web, admin, { page: 'audit', part: 'verify', about: '', fields })}`;
  }

  function filterForm({ person, thread, what, from, to }: Filter): Html {
    const input = (name: string, label: string, value: string, type = 'text') =>
      html`<div><label for="f-${name}">${label}</label><input type="${type}" id="f-${name}" name="${name}" value="${value}"></div>`;
    const options = auditActionSchema.options.map((one) =>
      one === what
        ? html`<option value="${one}" selected>${AUDIT.actions[one]}</option>`
        : html`<option value="${one}">${AUDIT.actions[one]}</option>`,
    );
    return html`<form method="get" action="${shell.url('audit')}" class="filter">${input('person', AUDIT.person, person)}${input('thread', AUDIT.thread, thread)}
<div><label for="f-what">${AUDIT.what}</label><select id="f-what" name="what"><option value="">${AUDIT.anything}</option>${options}</select></div>
${input('from', AUDIT.from, from, 'date')}${input('to', AUDIT.to, to, 'date')}<p><button class="go">${AUDIT.filter}</button></p></form>`;
  }
}

interface CellPorts {
  readonly web: Pick<WebPorts, 'publicUrl' | 'place'>;
}

/** Where a thread is and how it began, as far as that is known, and below it its id. */
async function threadCell(
  { shell, store, web }: CellPorts & { readonly shell: AdminShell; readonly store: Store },
  threadId: string,
  admin: Admin,
): Promise<Html> {
  const of = `${shell.url('audit')}?${new URLSearchParams({ thread: threadId })}`;
  const name =
    threadId === NO_THREAD
      ? AUDIT.noThread
      : await nameSession({ store, place: web.place }, { ...admin, isAdmin: true }, { threadId });
  const id = name.includes(threadId)
    ? null
    : html`<br><small class="soft"><code>${visible(threadId)}</code></small>`;
  return html`<a href="${of}">${name}</a>${id}`;
}

/** What an entry says, as a link to the page of its call, if it's of one. */
function callLink({ web }: CellPorts, { threadId, callId }: AuditEntry, words: string): HtmlPart {
  if (callId === null) return words;
  return html`<a href="${web.publicUrl()}${CALLS_PATH}/${callKey(threadId, callId)}">${words}</a>`;
}

/** Whether an entry is one that is asked for. Days are of UTC, and both included. */
function fits({ person, what, from, to }: Filter): (entry: AuditEntry) => boolean {
  const isPerson = personMatcher(person);
  return ({ actor, at, ...entry }) => {
    const day = new Date(at).toISOString().slice(0, 10);
    return (
      isPerson(actor) &&
      (what === '' || entry.what === what) &&
      (from === '' || day >= from) &&
      (to === '' || day <= to)
    );
  };
}

function describeState(state: VerificationState): Html {
  switch (state.kind) {
    case 'none':
      return html`<p>${AUDIT.notVerified}</p>`;
    case 'running':
      return html`<p role="status">${AUDIT.running(state.entries)}</p>`;
    case 'failed':
      return html`<p class="warning" role="alert">${AUDIT.failed(state.problem)}</p>`;
    case 'done': {
      const { head, problems, problemCount, hasNotedHeads } = state;
      const found = problems.map(
        ({ threadId, seq, problem }) =>
          html`<li>${AUDIT.problem(visible(threadId ?? ''), seq, visible(problem))}</li>`,
      );
      return html`<p role="status"><strong>${problemCount === 0 ? AUDIT.intact : AUDIT.broken(problemCount)}</strong>
${AUDIT.counted(state)} ${instant(state.at)}.</p>
<p class="small soft">${head === null ? AUDIT.noSeal : AUDIT.until(head.seq)}${head === null ? null : html` <code>${head.hash}</code>`}</p>
<p class="small soft">${AUDIT.checked} ${hasNotedHeads ? AUDIT.withHeads : AUDIT.withoutHeads}</p>
${found.length === 0 ? null : html`<ul class="problems">${found}</ul>`}`;
    }
  }
}
