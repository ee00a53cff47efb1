import { eventThreads } from '../gate/index.ts';
import type { GateEvent, GateListener } from '../gate/types.ts';
import type { RetentionRule } from '../storage/retention.ts';
import type { Put } from '../storage/store.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';
import type { LiveEvent, RunEvent } from './ports.ts';

/** A place where people meet the agent, such as Slack or the HTTP API. It is told of its own threads only. */
export interface Surface {
  /** The surface's name. The ids of its threads begin with it and a colon, and their records hold it. */
  readonly kind: string;
  /** What a new message does while a request is open in its thread: wait for its end, or replace it. */
  readonly newMessage: 'hold' | 'supersede';
  /** The writes that tell people of an event at the gate; they land in its commit. */
  announceGate(event: GateEvent): readonly Put[];
  /** The writes that tell people what happened to a message; they land in its commit. */
  announceRun(thread: ThreadRecord, event: RunEvent): readonly Put[];
  /** Called after that commit, in this process only: a hint, which can be lost. Must not throw. */
  notifyGate(event: GateEvent): void;
  /** As `notifyGate`. */
  notifyRun(thread: ThreadRecord, event: RunEvent): void;
  /** What happens while the agent works: status lines, tokens, progress. Kept nowhere. */
  observe?(thread: ThreadRecord, item: MailboxItem | null, event: LiveEvent): void;
  /** What the surface keeps for a time only. */
  readonly retention?: readonly RetentionRule[];
}

/** The surface that a thread lives on; null where this process has none of its kind. */
export function findSurface(surfaces: readonly Surface[], thread: ThreadRecord): Surface | null {
  return surfaces.find(({ kind }) => kind === thread.surface.kind) ?? null;
}

/** Passes each event at the gate on to the surfaces whose threads it is about. */
export function createSurfaceListener(surfaces: readonly Surface[]): GateListener {
  return {
    announce: (event) =>
      surfaces.flatMap((surface) => {
        const own = eventOn(surface, event);
        return own ? surface.announceGate(own) : [];
      }),
    notify(event) {
      for (const surface of surfaces) {
        const own = eventOn(surface, event);
        if (own) surface.notifyGate(own);
      }
    },
  };
}

/** The part of an event that is about a surface's own threads; null where there is none. */
function eventOn(surface: Surface, event: GateEvent): GateEvent | null {
  const isOwn = (threadId: string): boolean => threadId.startsWith(`${surface.kind}:`);
  const threadIds = eventThreads(event);
  if (threadIds.every(isOwn)) return event;
  // Only decisions are made in several threads at once.
  if (event.type !== 'decided' || !threadIds.some(isOwn)) return null;
  return { ...event, calls: event.calls.filter(({ threadId }) => isOwn(threadId)) };
}
