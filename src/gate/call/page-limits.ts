import type { Need } from './need.ts';
import type { CallRecord } from './record.ts';

/** How often in a row a server's own notice resumes a call; after that, only a person does. */
const MAX_SERVER_RESUMES = 3;

/** How often a server may want a page opened before it begins a call: as often as it may ask for input. */
export const MAX_PAGES = 10;

/** The call after its server wanted this before it would begin; null when it has wanted too many pages. */
export function countPageRequest(call: CallRecord, need: Need): CallRecord | null {
  if (need.kind !== 'oauth_url' || need.connect) return call;
  const { asked, byServer } = readPageRounds(call);
  return asked >= MAX_PAGES ? null : { ...call, pages: { asked: asked + 1, byServer } };
}

/** The call after its server resumed it by reporting the page as completed. */
export function countServerResume(call: CallRecord): CallRecord {
  const { asked, byServer } = readPageRounds(call);
  return { ...call, pages: { asked, byServer: byServer + 1 } };
}

/** The call after a person resumed it: the server's notices count from 0 again. */
export function resetServerResumes(call: CallRecord): CallRecord {
  return call.pages ? { ...call, pages: { ...call.pages, byServer: 0 } } : call;
}

/** Whether its server may resume a call that waits for a page. */
export function mayServerResume(call: CallRecord): boolean {
  return readPageRounds(call).byServer < MAX_SERVER_RESUMES;
}

function readPageRounds({ pages }: CallRecord): NonNullable<CallRecord['pages']> {
  return pages ?? { asked: 0, byServer: 0 };
}
