import { html } from 'hono/html';
import { z } from 'zod';
import { type CallOutline, EVERY_CALL, type Gate } from '../../../gate/index.ts';
import {
  type CallRecord,
  oldestFirst,
  type RiskSource,
  recordKey,
  type SessionRisk,
} from '../../../gate/types.ts';
import type { Notebooks } from '../../../notebook/ports.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Store } from '../../../storage/store.ts';
import { collect } from '../../records/collect.ts';
import { toCallAnswer } from '../../records/to-record.ts';
import { card, table } from '../admin/parts.ts';
import { instant } from '../pages/instant.ts';
import type { Html, HtmlPart } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH, TIMELINE_PATH } from '../session/cookies.ts';
import { mayReadWhole, notebookLink } from './notebook.ts';
import { callLink, decisionItems, nameSession, olderLink, stateWords } from './parts.ts';
import { TIMELINE } from './texts.ts';
import { maySee, ownOnly, type ShowPage, type Viewer } from './viewer.ts';

interface TimelinePorts {
  readonly gate: {
    readonly calls: Pick<Gate['calls'], 'search' | 'getMany' | 'waitsFor'>;
    readonly risk: Pick<Gate['risk'], 'session' | 'isRecorded'>;
  };
  readonly notebooks: Pick<Notebooks, 'isOwn'>;
  readonly store: Store;
}

/** Calls on one page. */
const LISTED = 100;

/** The longest that an id of a thread or a session may be, in characters. */
const MAX_ID = 64_000;
const text = z.string().max(MAX_ID).catch('').default('');
const querySchema = z.object({
  thread: text,
  program: text,
  session: text,
  cursor: z.string().max(2_000).catch('').default(''),
});
type Query = z.infer<typeof querySchema>;

/** `GET /dashboard/sessions/timeline`: what happened in a thread, or in a program's session, in order. */
export function timelinePage(
  show: ShowPage,
  { gate, notebooks, store }: TimelinePorts,
  web: Pick<WebPorts, 'publicUrl' | 'samePerson' | 'headlines' | 'place'>,
): void {
  show({
    path: TIMELINE_PATH,
    current: 'sessions',
    async read(c, viewer) {
      const which = querySchema.parse(c.req.query());
      if (which.thread === '' && (which.program === '' || which.session === '')) return null;
      const { items, next } = await readTimeline(viewer, which);
      const [latest] = items;
      const earlier =
        next === null ? null : olderLink(web, TIMELINE_PATH, { ...which, cursor: next }, TIMELINE.earlier);
      // A search looks at so many calls at a time: there may be some further back.
      if (!latest) return earlier && { title: TIMELINE.noneYet, body: earlier };
      const { threadId, program } = latest;
      const headlines = await web.headlines(items, viewer.actor);
      const risk = await gate.risk.session({ threadId, ...(program && { program }) });
      const mayExport = program === undefined && (await mayReadWhole(notebooks, viewer, threadId));
      const notebook = mayExport ? notebookLink(web, threadId) : null;
      return {
        title: await nameSession({ store, place: web.place }, viewer, latest),
        body: html`${card(TIMELINE.risk, await riskPart({ gate, web }, risk, viewer))}
<section class="card"><h2>${TIMELINE.calls}</h2>${notebook}
${earlier}
<ol class="timeline">${oldestFirst(items).map((call) => step(call, headlines))}</ol></section>`,
      };
    },
  });

  function readTimeline(viewer: Viewer, { thread, program, session, cursor: from }: Query) {
    const isOfThread = thread !== '';
    const range = {
      ...EVERY_CALL,
      threadId: isOfThread ? thread : null,
      session: isOfThread ? null : session,
      requesterId: ownOnly(viewer),
    };
    const isListed = (call: CallOutline) =>
      isOfThread ? call.program === undefined : call.program?.id === program;
    return collect({ limit: LISTED, cursor: from || undefined }, (limit, next) =>
      gate.calls.search(range, limit, next, isListed),
    );
  }

  function step(call: CallRecord, headlines: ReadonlyMap<string, string>): Html {
    const decisions = decisionItems(call);
    const ended = call.endedAt === null ? null : html`, ${TIMELINE.ended} ${instant(call.endedAt)}`;
    return html`<li id="${recordKey(call)}">${instant(call.proposedAt)} ${callLink(web, call, headlines)}<br>
<strong>${stateWords(call)}</strong>${ended}${whyGated(call)}${decisions.length === 0 ? null : html`<ul>${decisions}</ul>`}</li>`;
  }
}

/** What set each flag of a session; of calls that the viewer may not see, neither which nor when. */
async function riskPart(
  {
    gate,
    web,
  }: { readonly gate: TimelinePorts['gate']; readonly web: Pick<WebPorts, 'publicUrl' | 'samePerson'> },
  risk: SessionRisk | null,
  viewer: Viewer,
): Promise<HtmlPart> {
  const flags = (['private', 'untrusted', 'write'] as const).map((flag) => ({
    words: TIMELINE.flags[flag],
    source: risk?.[flag] ?? null,
  }));
  const highest = risk?.highest ?? null;
  const level = { words: TIMELINE.level(highest?.acl ?? ''), source: highest };
  const set = [...flags, level].flatMap(({ words, source }) => (source === null ? [] : [{ words, source }]));
  const isSeen = await findSeen(set.map(({ source }) => source.callKey));
  const rows = set.map(({ words, source }) =>
    isSeen(source.callKey)
      ? [words, sourceLink(web, source), instant(source.at)]
      : [words, TIMELINE.ofOthers, null],
  );
  const headings = TIMELINE.riskHeadings;
  // What is not looked at is not safe; what was recorded before still holds.
  const isOff = !gate.risk.isRecorded;
  const empty = isOff ? '' : TIMELINE.noRisk;
  const listed = table({ caption: TIMELINE.risk, headings, rows, empty });
  return isOff ? [html`<p>${TIMELINE.riskOff}</p>`, listed] : listed;

  /** Which of these calls the viewer may see: of a thread, several people's calls are one session. */
  async function findSeen(keys: readonly string[]): Promise<(key: string) => boolean> {
    if (viewer.isAdmin) return () => true;
    const calls = await gate.calls.getMany(keys);
    const mayBeSeen = await Promise.all(
      calls.map(
        async (call) => call !== null && (await maySee({ gate, samePerson: web.samePerson }, viewer, call)),
      ),
    );
    const seen = new Set(keys.filter((_key, index) => mayBeSeen[index]));
    return (key) => seen.has(key);
  }
}

function sourceLink(web: Pick<WebPorts, 'publicUrl'>, { callKey, tool, isPrompt }: RiskSource): HtmlPart {
  const words = visible(tool);
  return isPrompt ? words : html`<a href="${web.publicUrl()}${CALLS_PATH}/${callKey}">${words}</a>`;
}

/** Why the call didn't just run: the rule, and what its session had read by then; null for one that did. */
function whyGated(call: CallRecord): Html | null {
  const { action } = call.verdict;
  if (action === 'allow' || call.kind === 'question') return null;
  const { rule, risk } = toCallAnswer(call);
  const words = rule === null ? TIMELINE.noRule : TIMELINE.rule(visible(rule));
  const session = risk && html`<br>${risk.summary}`;
  return html`<br><small>${TIMELINE.gated[action]} ${words}${session}</small>`;
}
