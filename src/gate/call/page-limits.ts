import type { Need } from './need.ts';
import type { CallRecord } from './record.ts';

/** So often in a row a server's own word lets one call go on; then only a person's does. */
const MOST_WORDS = 3;

/** How often a server may want a page opened before it begins with one call: as often as it may ask for input. */
export const MAX_PAGES = 10;

/** The call after its server wanted this before it would begin; null when it wanted pages often enough. */
export function countPageRequest(call: CallRecord, need: Need): CallRecord | null {
  if (need.kind !== 'oauth_url' || need.connect) return call;
  const { asked, byServer } = roundsOf(call);
  return asked >= MAX_PAGES ? null : { ...call, pages: { asked: asked + 1, byServer } };
}

/** The call after its server let it go on by saying that people are done with the page. */
export function countServerResume(call: CallRecord): CallRecord {
  const { asked, byServer } = roundsOf(call);
  return { ...call, pages: { asked, byServer: byServer + 1 } };
}

/** The call after a person let it go on: its server's word counts anew. */
export function resetServerResumes(call: CallRecord): CallRecord {
  return call.pages ? { ...call, pages: { ...call.pages, byServer: 0 } } : call;
}

/** Whether its server's word lets a call go on that waits for a page. */
export function mayServerResume(call: CallRecord): boolean {
  return roundsOf(call).byServer < MOST_WORDS;
}

function roundsOf({ pages }: CallRecord): NonNullable<CallRecord['pages']> {
  return pages ?? { asked: 0, byServer: 0 };
}
