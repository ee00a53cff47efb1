import { html } from 'hono/html';
import { z } from 'zod';
import type { Gate, SearchedCall } from '../../../gate/index.ts';
import { callStateSchema } from '../../../gate/types.ts';
import { globMatcher } from '../../../lib/regex.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { collect } from '../../records/collect.ts';
import { table } from '../admin/parts.ts';
import { instant } from '../pages/instant.ts';
import type { Html } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { callLink, olderLink, stateWords } from './parts.ts';
import { CALLS, STATES, VIEW } from './texts.ts';
import { ownOnly, type ShowPage, type Viewer } from './viewer.ts';

/** Calls on one page. */
const LISTED = 50;
const DAY_MS = 86_400_000;
const FILTERS = ['tool', 'person', 'program', 'session', 'from', 'to'] as const;

const text = z.string().trim().max(300).default('');
const day = z.iso.date().or(z.literal('')).default('');
const querySchema = z.strictObject({
  tool: text,
  state: callStateSchema.or(z.literal('')).default(''),
  person: text,
  program: text,
  session: text,
  from: day,
  to: day,
  cursor: z.string().max(2_000).default(''),
});
type Query = z.infer<typeof querySchema>;

/** `GET /dashboard/calls`: the calls that somebody may see, by what the address asks for. */
export function callsPage(
  show: ShowPage,
  gate: { readonly calls: Pick<Gate['calls'], 'search'> },
  web: Pick<WebPorts, 'publicUrl'>,
) {
  show({
    path: CALLS_PATH,
    current: 'calls',
    async read(c, viewer) {
      const asked = querySchema.safeParse(c.req.query());
      const query = asked.success ? asked.data : querySchema.parse({});
      // A filter that can't be read must not widen what is listed.
      const { items, next } = asked.success ? await search(viewer, query) : { items: [], next: null };
      const unread = asked.success
        ? null
        : html`<p class="warning" role="alert">${CALLS.unreadable(nameFilters(asked.error))}</p>`;
      const rows = items.map((call) => [
        instant(call.proposedAt),
        callLink(web, call),
        visible(call.requester.name),
        call.program ? visible(call.program.name) : '',
        stateWords(call),
      ]);
      const empty = next === null ? CALLS.none : CALLS.noneYet;
      return {
        title: CALLS.title,
        body: html`<p class="soft">${viewer.isAdmin ? CALLS.all : CALLS.own}</p>
<section class="card">${filterForm(query, viewer)}${unread}${table({ caption: CALLS.title, headings: CALLS.headings, rows, empty })}
${next === null ? null : olderLink(web, CALLS_PATH, { ...query, cursor: next }, VIEW.older)}</section>`,
      };
    },
  });

  function search(viewer: Viewer, query: Query) {
    const range = {
      threadId: null,
      requesterId: ownOnly(viewer),
      from: query.from === '' ? null : Date.parse(query.from),
      before: query.to === '' ? null : Date.parse(query.to) + DAY_MS,
    };
    return collect({ limit: LISTED, cursor: query.cursor || undefined }, (limit, cursor) =>
      gate.calls.search(range, limit, cursor, fits(query)),
    );
  }

  function filterForm(query: Query, { isAdmin }: Viewer): Html {
    const inputs = FILTERS.filter((name) => isAdmin || name !== 'person').map((name) => {
      const isDay = name === 'from' || name === 'to';
      const hint = name === 'tool' ? html` title="${CALLS.toolHint}"` : null;
      return html`<div><label for="f-${name}">${CALLS.filters[name]}</label><input type="${isDay ? 'date' : 'text'}" id="f-${name}" name="${name}" value="${query[name]}"${hint}></div>`;
    });
    const options = callStateSchema.options.map((state) =>
      state === query.state
        ? html`<option value="${state}" selected>${STATES[state]}</option>`
        : html`<option value="${state}">${STATES[state]}</option>`,
    );
    const isFiltered = query.state !== '' || FILTERS.some((name) => query[name] !== '');
    // Folded, it leaves a phone's screen to the calls.
    return html`<details${isFiltered ? html` open` : null}><summary>${CALLS.search}</summary><form method="get" action="${web.publicUrl()}${CALLS_PATH}" class="filter">${inputs}
<div><label for="f-state">${CALLS.state}</label><select id="f-state" name="state"><option value="">${CALLS.any}</option>${options}</select></div>
<p><button class="go">${CALLS.filter}</button></p></form></details>`;
  }
}

/** The filters of an address that can't be read. */
function nameFilters({ issues }: z.ZodError): string {
  const names = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])],
  );
  return visible([...new Set(names)].join(', '));
}

function fits({ tool, state, person, program, session }: Query): (call: SearchedCall) => boolean {
  const isTool = globMatcher(tool === '' ? '*' : tool.includes('*') ? tool : `*${tool}*`);
  const isNamed = (wanted: string, { id, name }: { readonly id: string; readonly name: string }) =>
    id === wanted || name.toLowerCase().includes(wanted.toLowerCase());
  return (call) =>
    isTool(`${call.tool.server}.${call.tool.name}`) &&
    (state === '' || call.state === state) &&
    (person === '' || isNamed(person, call.requester)) &&
    (program === '' || (call.program !== undefined && isNamed(program, call.program))) &&
    (session === '' || call.program?.session === session);
}
