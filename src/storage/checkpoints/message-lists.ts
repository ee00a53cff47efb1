import { BaseMessage } from '@langchain/core/messages';
import type { NewValue, Typed } from './types.ts';

/** A conversation in the version of its channel that this process read or wrote last. */
export interface RecentList {
  readonly version: string;
  readonly messages: readonly BaseMessage[];
}

/** The most messages in memory, of all threads together: some tens of megabytes. */
const MOST_MESSAGES = 20_000;

const COMMA = 0x2c;
const CLOSED = Uint8Array.of(0x5d);

/** Where a list is: one namespace of a thread. */
export interface Place {
  readonly threadId: string;
  readonly namespace: string;
}

/**
 * The conversations that this process has in memory, so that only what is new of them is serialised, sent and
 * read. It holds because messages do not change once they are in a conversation: who changes one puts
 * another in its place.
 */
export class MessageLists {
  readonly #places = new Map<string, Map<string, RecentList>>();
  readonly #dump: (value: unknown) => Promise<Typed>;
  #count = 0;

  /** `dump` makes the JSON text of a list, as UTF-8. */
  constructor(dump: (value: unknown) => Promise<Typed>) {
    this.#dump = dump;
  }

  /** The lists in memory for a place, by channel. */
  at(place: Place): ReadonlyMap<string, RecentList> {
    return new Map(this.#places.get(placeKey(place)));
  }

  /** Whether a value of the channel is stored as a list of messages. */
  holds(place: Place, channel: string, value: unknown): boolean {
    return isMessageList(value, this.#places.get(placeKey(place))?.get(channel));
  }

  /** The value as a driver stores it, or null where it is no list of messages; notes it as the channel's latest. */
  async serialised(
    place: Place,
    {
      channel,
      version,
      value,
    }: { readonly channel: string; readonly version: string; readonly value: unknown },
  ): Promise<NewValue | null> {
    const earlier = this.#places.get(placeKey(place))?.get(channel);
    if (!isMessageList(value, earlier)) return null;
    const messages = value.slice();
    this.#note(place, channel, { version, messages });
    const whole = () => this.#dump(messages);
    if (!earlier || countSame(earlier.messages, messages) < earlier.messages.length) {
      return { channel, version, after: null, value: await whole(), whole };
    }
    const added = messages.slice(earlier.messages.length);
    const after = { version: earlier.version, dropped: CLOSED.length };
    if (added.length === 0) return { channel, version, after, value: { type: 'json', bytes: CLOSED }, whole };
    const { type, bytes } = await this.#dump(added);
    // Their own list begins where the earlier one went on.
    bytes[0] = COMMA;
    return { channel, version, after, value: { type, bytes }, whole };
  }

  /** Notes what was read. */
  note(place: Place, channel: string, version: string, value: unknown): void {
    if (isMessageList(value)) this.#note(place, channel, { version, messages: value.slice() });
  }

  /** Call this when it is unknown what is stored. */
  forget(place: Place): void {
    this.#forget(placeKey(place));
  }

  #note(place: Place, channel: string, list: RecentList): void {
    const key = placeKey(place);
    const lists = this.#places.get(key) ?? new Map<string, RecentList>();
    this.#count += list.messages.length - (lists.get(channel)?.messages.length ?? 0);
    lists.set(channel, list);
    // The map is in order of use, so the first is dropped.
    this.#places.delete(key);
    this.#places.set(key, lists);
    for (const oldest of this.#places.keys()) {
      if (this.#count <= MOST_MESSAGES) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    for (const { messages } of this.#places.get(key)?.values() ?? []) this.#count -= messages.length;
    this.#places.delete(key);
  }
}

function placeKey({ threadId, namespace }: Place): string {
  return JSON.stringify([threadId, namespace]);
}

/** Whether a value is stored as a list of messages: it has some, and nothing else. Those that are known are not looked at. */
export function isMessageList(value: unknown, known?: RecentList): value is readonly BaseMessage[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const items: readonly unknown[] = value;
  return items.slice(countSame(known?.messages ?? [], items)).every((item) => BaseMessage.isInstance(item));
}

/** How many items two lists begin with alike. A loop, as it's about every message with every commit. */
function countSame(one: readonly unknown[], other: readonly unknown[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}
