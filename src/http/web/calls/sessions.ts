import { html } from 'hono/html';
import { z } from 'zod';
import { type CallOutline, EVERY_CALL, type Gate } from '../../../gate/index.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Store } from '../../../storage/store.ts';
import { table } from '../admin/parts.ts';
import { instant } from '../pages/instant.ts';
import type { WebPorts } from '../ports.ts';
import { SESSIONS_PATH } from '../session/cookies.ts';
import { nameSession, olderLink, sessionLink, stateWords } from './parts.ts';
import { SESSIONS, VIEW } from './texts.ts';
import { ownOnly, type ShowPage } from './viewer.ts';

/** Calls whose sessions are on one page. */
const GROUPED = 200;

const querySchema = z.object({ cursor: z.string().max(2_000).catch('').default('') });

/** `GET /dashboard/sessions`: the sessions of the latest calls. */
export function sessionsPage(
  show: ShowPage,
  {
    gate,
    store,
  }: { readonly gate: { readonly calls: Pick<Gate['calls'], 'outlines'> }; readonly store: Store },
  web: Pick<WebPorts, 'publicUrl' | 'place'>,
): void {
  show({
    path: SESSIONS_PATH,
    current: 'sessions',
    async read(c, viewer) {
      const query = querySchema.parse(c.req.query());
      const range = { ...EVERY_CALL, requesterId: ownOnly(viewer) };
      const { items, next } = await gate.calls.outlines(range, GROUPED, query.cursor || null);
      const rows = await Promise.all(
        [...groupBySession(items).values()].map(async ({ latest, calls }) => [
          instant(latest.proposedAt),
          sessionLink(web, latest, await nameSession({ store, place: web.place }, viewer, latest)),
          [...new Set(calls.map(({ requester }) => visible(requester.name)))].join(', '),
          String(calls.length),
          [...new Set(calls.map(stateWords))].join(', '),
        ]),
      );
      return {
        title: SESSIONS.title,
        body: html`<p class="soft">${SESSIONS.about}</p><section class="card">
${table({ caption: SESSIONS.title, headings: SESSIONS.headings, rows, empty: SESSIONS.none })}
${next === null ? null : olderLink(web, SESSIONS_PATH, { cursor: next }, VIEW.older)}</section>`,
      };
    },
  });
}

interface Grouped {
  readonly latest: CallOutline;
  readonly calls: CallOutline[];
}

/** Calls, newest first, by their sessions, in the order of each session's latest one. */
function groupBySession(items: readonly CallOutline[]): ReadonlyMap<string, Grouped> {
  const groups = new Map<string, Grouped>();
  for (const call of items) {
    const { program, threadId } = call;
    const key = JSON.stringify(program ? [program.id, program.session] : [threadId]);
    const known = groups.get(key);
    if (known) known.calls.push(call);
    else groups.set(key, { latest: call, calls: [call] });
  }
  return groups;
}
