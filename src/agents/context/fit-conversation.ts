import { type BaseMessage, isAIMessage, isHumanMessage } from '@langchain/core/messages';
import { LRUCache } from 'lru-cache';
import { cutToShare } from './cut-message.ts';
import { messageTokens, totalTokens } from './estimate-tokens.ts';
import { type Summary, writeRecord } from './record.ts';

/** The share of the room that is left in use when older parts give way: further messages fill the rest, without a change before. */
const LOW_MARK = 1 / 2;
/** How many threads' records are in memory. */
const RECORDS = 500;

/** Which part of a conversation is no longer sent as it is, as kept with its state. */
export interface Earlier {
  /** The first message that is sent as it is; null if none is. */
  readonly from: string | null;
  readonly summary: Summary | null;
}

interface FittedConversation {
  readonly messages: readonly BaseMessage[];
  /** Null while all of it is sent. */
  readonly earlier: Earlier | null;
}

interface Fitting {
  readonly threadId: string;
  /** As it's kept. */
  readonly kept: readonly BaseMessage[];
  /** As this run may see it, and as everybody may: one for one the same messages. */
  readonly view: readonly BaseMessage[];
  readonly forAll: () => readonly BaseMessage[];
  readonly earlier: Earlier | null;
  /** In tokens: for all of it, and for the record in place of its earlier part. */
  readonly room: number;
  readonly record: number;
}

/**
 * Fits a conversation into the room that there is for it, in tokens. While it fits, it is sent as it is. Then its earlier
 * part is replaced by a record of it ({@link writeRecord}), down to half of the room, so that what is sent begins the same
 * for many turns and a provider's cache of it holds. The part begins at a message of a person, or within the last turn at an
 * answer of the model: calls and results stay paired. What one message has too much of is cut, and says so.
 * See docs/decisions/0089.
 */
export function createFitting() {
  const records = new LRUCache<string, { readonly key: string; readonly record: BaseMessage }>({
    max: RECORDS,
  });

  function recordAt(fitting: Fitting, from: number, last: number, summary: Summary | null): BaseMessage {
    const { threadId, kept, forAll, record: most } = fitting;
    const key = JSON.stringify([
      kept[from]?.id ?? from,
      // Only a record of the last turn depends on which that is.
      from > last ? kept[last]?.id : null,
      summary?.upTo,
      summary?.text.length,
      most,
    ]);
    const known = records.get(threadId);
    if (known?.key === key) return known.record;
    const shown = forAll().map((message, index) => (isHumanMessage(message) && kept[index]) || message);
    const record = writeRecord(shown, { from, last }, summary, most);
    records.set(threadId, { key, record });
    return record;
  }

  return (fitting: Fitting): FittedConversation => {
    const { kept, view, earlier, room } = fitting;
    const last = kept.findLastIndex((message) => isHumanMessage(message));
    const begun = earlier === null ? 0 : findPlace(kept, earlier.from);
    const summary = begun === 0 ? null : (earlier?.summary ?? null);
    const send = (from: number) => {
      const sent = sentAsTheyAre(view, from, last);
      return from === 0 ? sent : [recordAt(fitting, from, last, summary), ...sent];
    };
    const asBefore = totalTokens(sentAsTheyAre(view, begun, last)) + (begun === 0 ? 0 : fitting.record);
    if (asBefore <= room) return { messages: send(begun), earlier: begun === 0 ? null : earlier };
    const low = Math.floor(room * LOW_MARK) - fitting.record;
    const from = findBegin(view, { begun, last, room: low });
    const cut = from === 0 ? cutToShare(view, room) : null;
    if (cut !== null) return { messages: cut, earlier: null };
    const withRecord = (place: number): FittedConversation | null => {
      const sent = cutToShare(sentAsTheyAre(view, place, last), room - fitting.record);
      const record = sent && recordAt(fitting, place, last, summary);
      return record && { messages: [record, ...sent], earlier: { from: kept[place]?.id ?? null, summary } };
    };
    // Too many messages to cut each: none but the person's is left as it is.
    const fitted = (from === 0 ? null : withRecord(from)) ?? withRecord(view.length);
    if (fitted === null) throw new Error('the room of a conversation is less than its least');
    return fitted;
  };
}
/** Where a message is; the end for null, and the beginning for one that isn't there any more. */
export function findPlace(messages: readonly BaseMessage[], id: string | null): number {
  return id === null
    ? messages.length
    : Math.max(
        0,
        messages.findLastIndex((message) => message.id === id),
      );
}

/** What is sent of a conversation as it is: from a place on, and the last message of a person. */
function sentAsTheyAre(messages: readonly BaseMessage[], from: number, last: number): readonly BaseMessage[] {
  return from > last ? [...messages.slice(last, last + 1), ...messages.slice(from)] : messages.slice(from);
}

/**
 * The first place, from where it begins now, at which what is left fits into the room; the last place there is where
 * nothing fits. A place is a message of a person, or in the last turn an answer of the model.
 */
function findBegin(
  messages: readonly BaseMessage[],
  { begun, last, room }: { readonly begun: number; readonly last: number; readonly room: number },
): number {
  const asked = last < 0 ? 0 : totalTokens(messages.slice(last, last + 1));
  let tokens = 0;
  let found: number | null = null;
  for (let index = messages.length - 1; index >= begun; index -= 1) {
    const message = messages[index];
    if (!message) break;
    tokens += messageTokens(message);
    const isPlace = index > last ? isAIMessage(message) : isHumanMessage(message);
    const fits = tokens + (index > last ? asked : 0) <= room;
    if (isPlace && (fits || found === null)) found = index;
    if (!fits && found !== null) break;
  }
  return found ?? begun;
}
