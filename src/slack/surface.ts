import type { Actor, GateEvent, GateListener } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Surface, ThreadRecord } from '../runs/index.ts';
import type { RunEvent } from '../runs/ports.ts';
import type { Account } from '../tools/ports.ts';
import { affectedPeople, announceToHomes } from './home/enqueue.ts';
import { isDirectChannel, parseSlackPlace, slackChannelId } from './ids.ts';
import { announceGate, announceRun } from './outbox/enqueue.ts';
import type { MethodLimits } from './outbox/method-limits.ts';

/** The share of the limit of updates that is left to cards and answers; see {@link MethodLimits.room}. */
const RESERVE = 0.5;

/** The parts of Slack that show things, as soon as they exist. */
interface SlackDisplay extends Required<Pick<Surface, 'observe'>> {
  notifyGate(event: GateEvent, threadIds: readonly string[]): void;
  notifyRun(thread: ThreadRecord, event: RunEvent): void;
  /** Updates somebody's Home. */
  refreshHome(actorId: string): Promise<void>;
}

/**
 * Slack as a {@link Surface}: cards and answers through the outbox, Homes, and a status line while the agent
 * works. The gate and the runs get it before anything can be shown; `display` follows with the rest of Slack.
 */
export class SlackSurface implements Surface {
  readonly kind = 'slack';
  readonly newMessage = 'hold';
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #isAlone: boolean;
  #display: SlackDisplay | null = null;
  #limits: Pick<MethodLimits, 'room'> | null = null;

  /**
   * `owner` is this process's name as a lease holder; it streams the answers of the threads it runs. With `isAlone` there
   * is no other process that would have to hear of changes in Homes.
   */
  constructor(clock: Clock, owner: string, { isAlone }: { readonly isAlone: boolean }) {
    this.#clock = clock;
    this.#owner = owner;
    this.#isAlone = isAlone;
  }

  /** Shows what happens from now on. */
  displayOn(display: SlackDisplay, limits: Pick<MethodLimits, 'room'>): void {
    this.#display = display;
    this.#limits = limits;
  }

  announceGate(event: GateEvent) {
    // Its record has it, and the next one may find room.
    const hasRoom = this.#limits === null || this.#limits.room('chat.update') > RESERVE;
    if (event.type === 'progressed' && !hasRoom) return [];
    return announceGate(event, this.#clock);
  }

  announceRun(thread: ThreadRecord, event: RunEvent) {
    return announceRun(thread, event, this.#clock, this.#owner);
  }

  toAccount(threadId: string, { id }: Actor): Account {
    const place = parseSlackPlace(threadId);
    // What somebody writes in a direct message is theirs alone.
    const isShared = place !== null && !isDirectChannel(place.channel);
    return { kind: 'person', owner: id, channel: isShared ? slackChannelId(place) : null };
  }

  notifyGate(event: GateEvent, threadIds: readonly string[]): void {
    this.#display?.notifyGate(event, threadIds);
  }

  notifyRun(thread: ThreadRecord, event: RunEvent): void {
    this.#display?.notifyRun(thread, event);
  }

  observe(...seen: Parameters<SlackDisplay['observe']>): void {
    this.#display?.observe(...seen);
  }

  /** Updates the Homes that show an event of the gate, whatever surface its thread is on. */
  readonly homes: GateListener = {
    announce: (event) => (this.#isAlone ? [] : announceToHomes(event, this.#clock)),
    notify: (event) => {
      for (const actorId of affectedPeople(event)) void this.#display?.refreshHome(actorId);
    },
  };
}
