import { html } from 'hono/html';
import { type CallOutline, EVERY_CALL, type Gate } from '../../../gate/index.ts';
import { latestFirst, recordKey } from '../../../gate/types.ts';
import { globMatcher } from '../../../lib/regex.ts';
import { startOfDay } from '../../../presentation/text/dates.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { collect } from '../../records/collect.ts';
import { table } from '../admin/parts.ts';
import { instant } from '../pages/instant.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { type CallsQuery, callFilters, personMatcher, querySchema, unreadable } from './filters.ts';
import { callLink, olderLink, stateWords } from './parts.ts';
import { CALLS, VIEW } from './texts.ts';
import { hasDecided, ownOnly, type ShowPage, type Viewer } from './viewer.ts';

/** Calls on one page. */
const LISTED = 50;
/** Somewhere in the day after, whatever the clocks do. */
const NEXT_DAY_MS = 36 * 3_600_000;

type Calls = Pick<Gate['calls'], 'outlines' | 'inbox' | 'getMany'>;

/** `GET /dashboard/calls`: the calls that somebody may see, by what the address asks for. */
export function callsPage(
  show: ShowPage,
  { calls }: { readonly calls: Calls },
  web: Pick<WebPorts, 'publicUrl' | 'samePerson' | 'headlines'>,
) {
  show({
    path: CALLS_PATH,
    current: 'calls',
    async read(c, viewer) {
      const asked = querySchema.safeParse(c.req.query());
      const query = asked.success ? asked.data : querySchema.parse({});
      // A filter that can't be read must not widen what is listed.
      const people = { found: false };
      const { items, next } = asked.success ? await search(viewer, query, people) : { items: [], next: null };
      const unread = asked.success ? null : unreadable(asked.error);
      const read = await calls.getMany(items.map(recordKey));
      const headlines = await web.headlines(
        read.filter((call) => call !== null),
        viewer.actor,
      );
      const rows = items.map((call) => [
        instant(call.proposedAt),
        callLink(web, call, headlines),
        visible(call.requester.name),
        call.program ? visible(call.program.name) : '',
        stateWords(call),
      ]);
      const isUnknown = asked.success && query.person !== '' && !people.found;
      const none = isUnknown ? CALLS.noPerson(visible(query.person)) : CALLS.none;
      const empty = next === null ? none : CALLS.noneYet;
      return {
        title: CALLS.title,
        body: html`<p class="soft">${CALLS.about[query.which](viewer)}</p>
<section class="card">${callFilters(web, query, viewer)}${unread}${table({ caption: CALLS.title, headings: CALLS.headings, rows, empty })}
${next === null ? null : olderLink(web, CALLS_PATH, { ...query, cursor: next }, VIEW.older)}</section>`,
      };
    },
  });

  /** Notes in `people` whether a call of the person that was asked for came by, whatever else was. */
  async function search(viewer: Viewer, query: CallsQuery, people: { found: boolean }) {
    const { which, session, cursor } = query;
    const isPerson = personMatcher(query.person);
    const isAsked = fits(query);
    const isListed = (call: CallOutline) => {
      if (!isPerson(call.requester)) return false;
      people.found = true;
      return isAsked(call);
    };
    const days = readDays(query);
    if (which === 'waiting') {
      const { calls: waiting } = await calls.inbox(viewer.actor.id, LISTED);
      const isOfDays = ({ proposedAt }: CallOutline) =>
        proposedAt >= (days.from ?? 0) && proposedAt < (days.before ?? Number.POSITIVE_INFINITY);
      return { items: waiting.filter((call) => isListed(call) && isOfDays(call)), next: null };
    }
    const isDecided = which === 'decided';
    const range = {
      ...EVERY_CALL,
      ...days,
      isJudged: isDecided,
      session: session === '' ? null : session,
      requesterId: isDecided ? null : ownOnly(viewer),
    };
    const isShown = (call: CallOutline) => isListed(call) && (!isDecided || hasDecided(web, viewer, call));
    const page = await collect({ limit: LISTED, cursor: cursor || undefined }, (limit, next) =>
      calls.outlines(range, limit, next, isShown),
    );
    return { items: latestFirst(page.items), next: page.next };
  }
}

/** The first and the last day, as instants. */
function readDays({ from, to, zone }: CallsQuery) {
  const begin = (date: string) => startOfDay(date, zone || 'UTC');
  return {
    from: from === '' ? null : begin(from),
    before: to === '' ? null : begin(new Date(Date.parse(to) + NEXT_DAY_MS).toISOString().slice(0, 10)),
  };
}

function fits({ tool, state, program, text: words }: CallsQuery): (call: CallOutline) => boolean {
  const isTool = globMatcher(tool === '' ? '*' : tool.includes('*') ? tool : `*${tool}*`);
  const isNamed = (wanted: string, { id, name }: { readonly id: string; readonly name: string }) =>
    id === wanted || has(name, wanted);
  return (call) =>
    isTool(`${call.tool.server}.${call.tool.name}`) &&
    (state === '' || call.state === state) &&
    (program === '' || (call.program !== undefined && isNamed(program, call.program))) &&
    (words === '' || has(call.tool.title, words) || hasWithin(call.arguments, words));
}

/** Whether some text in the arguments, or a name of one, has these words. */
function hasWithin(value: unknown, words: string): boolean {
  if (typeof value !== 'object' || value === null) return has(String(value), words);
  return Object.entries(value).some(
    ([name, part]) => (!Array.isArray(value) && has(name, words)) || hasWithin(part, words),
  );
}

function has(text: string, words: string): boolean {
  return text.toLowerCase().includes(words.toLowerCase());
}
