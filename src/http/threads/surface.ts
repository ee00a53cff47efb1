import type { Surface } from '../../runs/index.ts';
import type { ThreadFeed } from './feed.ts';

/** Threads of the HTTP API: what happens in them is an event of their feed. `keepForMs`: null keeps events for ever. */
export function createHttpSurface(feed: ThreadFeed, keepForMs: number | null): Surface {
  return {
    kind: 'http',
    newMessage: 'supersede',
    announceGate: feed.announceGate,
    announceRun: feed.announceRun,
    notifyGate: feed.notifyGate,
    notifyRun: feed.notifyRun,
    observe: feed.observe,
    toAccount: (_threadId, { id }) => ({ kind: 'key', owner: id, channel: null }),
    retention: [{ name: 'thread events', keepForMs, forget: feed.forget }],
  };
}
