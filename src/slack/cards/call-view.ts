import type { CallRecord } from '../../gate/types.ts';
import { clip, head, oneLine } from '../text/clip.ts';
import { dateTimeParts, isDate, isTimeZone, momentInShort } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { type FittedRows, fitCard, rowLength } from './argument-blocks.ts';
import { type ArgumentRow, describeArguments } from './arguments.ts';
import type { CallReference } from './references.ts';
import { wordsOf } from './schema.ts';
import type { Resolve } from './values.ts';

/** A call as cards, modals and Home show it. */
export interface CallView {
  /** Opaque, at most 64 characters, no colon. */
  readonly callKey: string;
  readonly call: CallRecord;
  /** Who may decide, in words: "Ana", "finance: 1 of 2". */
  readonly deciders: string;
  /** Milliseconds since the epoch; null never expires. */
  readonly expiresAt: number | null;
  /** What the session has read or can do that the decider should know, in a sentence. */
  readonly risk: string | null;
  readonly resolve: Resolve;
}

export function referenceOf({ callKey, call }: CallView): CallReference {
  return { callKey, digest: call.digest };
}

const TITLE_LENGTH = 120;

/** What a card shows of a call, and whether that is all of it. */
export interface CallSummary {
  readonly title: string;
  readonly server: string;
  readonly rows: FittedRows<ArgumentRow>;
  /** Anything of tool, server or arguments is not on the card: it cannot be approved there. */
  readonly incomplete: boolean;
}

export function summaryOf({ call, resolve }: CallView): CallSummary {
  const title = oneLine(visible(call.tool.title));
  const server = oneLine(visible(call.tool.server));
  const rows = fitCard(describeArguments(call.tool.inputSchema, call.arguments, resolve), rowLength);
  return {
    title: clip(title, TITLE_LENGTH),
    server: clip(server, TITLE_LENGTH),
    rows,
    incomplete:
      rows.hidden > 0 ||
      rows.rows.some((row) => row.truncated) ||
      title.length > TITLE_LENGTH ||
      server.length > TITLE_LENGTH,
  };
}

/**
 * The call in one line: "Create event ‘Standup’, Tue 24 Nov 09:00". The first plain text and the first
 * date among the arguments; where there are only ids, the last, which is the most particular. For
 * notifications and lists, never instead of the arguments.
 */
export function callInWords({ call, resolve }: CallView): string {
  const title = clip(oneLine(visible(call.tool.title)), 80);
  const rows = describeArguments(call.tool.inputSchema, call.arguments, resolve);
  const texts = rows.flatMap(({ name }) => {
    const value = call.arguments[name];
    return typeof value === 'string' && value.trim() !== '' ? [{ name, value }] : [];
  });
  const dated = texts.find(({ value }) => isDate(value) || dateTimeParts(value) !== null)?.value;
  const objects = texts.filter(({ value }) => value !== dated && !isTimeZone(value));
  const object = (objects.find(({ name }) => wordsOf(name).at(-1)?.toLowerCase() !== 'id') ?? objects.at(-1))
    ?.value;
  return [
    `${title}${object === undefined ? '' : ` ‘${clip(oneLine(visible(object)), 60)}’`}`,
    ...(dated === undefined ? [] : [momentInShort(dated, resolve.timeZone)]),
  ].join(', ');
}

/**
 * The object of a dangerous call, for its confirm dialog: every argument, as sent, in at most `limit`
 * characters; what does not fit is said to be missing.
 */
export function objectInWords({ call, resolve }: CallView, limit: number): string {
  const rows = describeArguments(call.tool.inputSchema, call.arguments, resolve);
  const all = rows.map((row) => `${row.label}: ${oneLine(row.value)}`).join('\n');
  return all.length <= limit ? all : `${head(all, limit - 2)} …`;
}
