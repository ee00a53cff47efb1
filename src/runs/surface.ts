import type { Actor, GateEvent, GateListener } from '../gate/types.ts';
import type { RetentionRule } from '../storage/retention.ts';
import type { Put } from '../storage/store.ts';
import type { Account } from '../tools/ports.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';
import type { LiveEvent, RunEvent } from './ports.ts';

/**
 * A surface: where people meet the agent, such as Slack or the HTTP API. It hears of its own threads only.
 */
export interface Surface {
  /** The surface's name: the prefix of its thread ids, before a colon, and stored in its threads' records. */
  readonly kind: string;
  /** What a new message does while a request is open in its thread: wait for its end, or supersede it. */
  readonly newMessage: 'hold' | 'supersede';
  /** The writes that notify people of an event at the gate, for the event's own commit. */
  announceGate(event: GateEvent, threadIds: readonly string[]): readonly Put[];
  /** The writes that notify people of what happened to a message, for the same commit. */
  announceRun(thread: ThreadRecord, event: RunEvent): readonly Put[];
  /** Called after that commit, in this process only: a hint, which can be lost. Must not throw. */
  notifyGate(event: GateEvent, threadIds: readonly string[]): void;
  /** Like `notifyGate`, for a message. */
  notifyRun(thread: ThreadRecord, event: RunEvent): void;
  /** Receives live events while the agent works: status lines, tokens, progress. Never stored. */
  observe?(thread: ThreadRecord, item: MailboxItem | null, event: LiveEvent): void;
  /**
   * Whose limits a message counts against.
   * @default those of the person who wrote it
   */
  toAccount?(threadId: string, actor: Actor): Account;
  /** Retention rules for what the surface keeps for a limited time. */
  readonly retention?: readonly RetentionRule[];
}

/** Whose limits a message of `actor` in this thread counts against. */
export function findAccount(
  surfaces: readonly Surface[],
  thread: Pick<ThreadRecord, 'threadId' | 'surface'>,
  actor: Actor,
): Account {
  const surface = surfaces.find(({ kind }) => kind === thread.surface.kind);
  return surface?.toAccount?.(thread.threadId, actor) ?? { kind: 'person', owner: actor.id, channel: null };
}

/** The surface that a thread lives on; null if this process doesn't have it. */
export function findSurface(surfaces: readonly Surface[], thread: ThreadRecord): Surface | null {
  return surfaces.find(({ kind }) => kind === thread.surface.kind) ?? null;
}

/** Forwards each event at the gate to the surfaces whose threads it is about. */
export function createSurfaceListener(surfaces: readonly Surface[]): GateListener {
  return {
    announce: (event, { all }) =>
      surfaces.flatMap((surface) => {
        const own = ownPart(surface, event, all);
        return own ? surface.announceGate(own.event, own.threadIds) : [];
      }),
    notify(event, { all }) {
      for (const surface of surfaces) {
        const own = ownPart(surface, event, all);
        if (own) surface.notifyGate(own.event, own.threadIds);
      }
    },
  };
}

/** The part of an event about a surface's own threads; null if there is none. */
function ownPart(surface: Surface, event: GateEvent, threadIds: readonly string[]) {
  const isOwn = (threadId: string): boolean => threadId.startsWith(`${surface.kind}:`);
  const own = threadIds.filter(isOwn);
  if (own.length === 0) return null;
  if (own.length === threadIds.length || !('calls' in event)) return { event, threadIds: own };
  const calls = event.calls.filter(({ threadId }) => isOwn(threadId));
  // To another surface, a decision that has people asked again about a call of this one is only a decision.
  const part: GateEvent =
    'request' in event && !isOwn(event.request.threadId) ? { type: 'decided', calls } : { ...event, calls };
  return { event: part, threadIds: own };
}
