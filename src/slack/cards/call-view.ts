import type { ApprovalStatus, CallRecord } from '../../gate/types.ts';
import { splitName } from '../../lib/readable-name.ts';
import { type ArgumentRow, describeArguments } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { type Property, propertiesInOrder } from '../../presentation/schema-labels.ts';
import { clip, head, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { dateTimeParts, formatShortMoment, isDate, isTimeZone } from '../../presentation/text/time.ts';
import { headTool, type ToolHead, toolName, toolTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { NO_ARGUMENTS } from '../../presentation/texts.ts';
import type { ValueContext } from '../../presentation/values.ts';
import type { ApproverSummary } from '../people/types.ts';
import { CARD, CARD_LINE } from '../texts/cards.ts';
import type { CallReference } from './action-values.ts';
import { hasLongInstructions } from './approver-blocks.ts';
import { type FittedRows, fitCard, rowLength } from './argument-blocks.ts';
import { hasLongChanges } from './tool-change-blocks.ts';

/** A call, prepared for cards, modals and Home. */
export interface CallView {
  /** Opaque, at most 64 characters, no colon. */
  readonly callKey: string;
  readonly call: CallRecord;
  readonly approval: ApprovalStatus;
  /** Who can decide the call; null once it is decided. */
  readonly approvers: ApproverSummary | null;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt: number | null;
  readonly resolve: ValueContext;
  /** Whether people can sign in on the web page, for calls that can only be approved there. */
  readonly canSignIn: boolean;
}

export function callReference({ callKey, call }: CallView): CallReference {
  return { callKey, digest: call.digest };
}

/** The longest name of a tool on a card, in characters; the full view has longer ones. */
const NAME_LENGTH = 160;

/** The part of a call that its card shows, and whether that is all of it. */
export interface CallSummary {
  readonly head: ToolHead;
  /** The tool's real name, `server.tool`. */
  readonly name: string;
  readonly rows: FittedRows<ArgumentRow>;
  /** The source of the notes beside arguments, in a sentence; null without notes. */
  readonly source: string | null;
  /**
   * Part of the tool's name, arguments or others' comments isn't on the card, so the call can't be approved
   * there.
   */
  readonly incomplete: boolean;
}

export function summarizeCall(view: CallView): CallSummary {
  const { call, resolve } = view;
  const name = toolName(call.tool);
  const rows = fitCard(describeArguments(call.tool, call.arguments, resolve), rowLength);
  return {
    head: headTool(call.tool),
    name: clip(name, NAME_LENGTH),
    rows,
    source: rows.rows.some(({ note }) => note !== null) ? CARD.source(sentence(call.tool.server)) : null,
    incomplete:
      rows.hidden > 0 ||
      hasLongInstructions(view) ||
      hasLongChanges(call) ||
      rows.rows.some((row) => row.truncated) ||
      name.length > NAME_LENGTH,
  };
}

/** Argument names that people identify things by, the most telling first. */
const NAMING = ['title', 'name', 'subject', 'summary', 'path', 'file', 'filename', 'url', 'to', 'query'];

/**
 * A call's title in one line: "Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event)". It uses the name a
 * person would use and the first date among the arguments; for an id, the name and date that the server gave
 * earlier. The tool's real name is always there. For notifications and lists, never instead of the arguments.
 */
export function callTitle(view: CallView): string {
  const act = describeAct(view);
  // Our own question is no tool.
  return view.call.kind === 'question' ? act : `${act} (${clip(toolName(view.call.tool), NAME_LENGTH)})`;
}

/** As {@link callTitle}, without the tool's real name: for where that stands already. */
export function describeAct({ call, resolve }: CallView): string {
  const title = toolTitle(call.tool);
  const texts = propertiesInOrder(call.tool, Object.keys(call.arguments)).flatMap((property) => {
    const value = call.arguments[property.name];
    return typeof value === 'string' && value.trim() !== '' ? [{ property, value }] : [];
  });
  const dated = texts.find(({ value }) => isDate(value) || dateTimeParts(value) !== null)?.value;
  const object = findObject(texts.filter(({ value }) => value !== dated && !isTimeZone(value)));
  const thing = object && resolve.findObject(object.property.name, object.value);
  const name = thing?.name ?? object?.value ?? null;
  const moment = dated ?? thing?.date ?? null;
  const what = name === null ? [] : [quoteText(clip(oneLine(visible(name)), 60), ['‘', '’'])];
  const act = [title === '' ? CARD_LINE.noTitle : title, ...what].join(' ');
  return [act, ...(moment === null ? [] : [formatShortMoment(moment, resolve.timeZone)])].join(', ');
}

interface TextArgument {
  readonly property: Property;
  readonly value: string;
}

/**
 * The text that names the call's object: a title or the like, else the first text that is neither an id nor
 * one of a few choices, else the last id, which is the most specific. A value that is only the schema's
 * default says nothing about this call.
 */
function findObject(texts: readonly TextArgument[]): TextArgument | null {
  const own = texts.filter(({ property, value }) => property.defaultValue !== value);
  const free = own.filter(({ property }) => property.choices === null);
  const lastWord = ({ property }: TextArgument) => splitName(property.name).at(-1)?.toLowerCase() ?? '';
  const naming = NAMING.map((word) => free.find((text) => lastWord(text) === word)).find(Boolean);
  const telling = free.find((text) => lastWord(text) !== 'id');
  return naming ?? telling ?? free.at(-1) ?? own.at(-1) ?? null;
}

/**
 * The object of a destructive call, for its confirm dialog: every argument as it is sent, in at most `limit`
 * characters. It says when something doesn't fit.
 */
export function callObject({ call, resolve }: CallView, limit: number): string {
  const rows = describeArguments(call.tool, call.arguments, resolve);
  if (rows.length === 0) return `${NO_ARGUMENTS}.`;
  const all = rows.map(argumentLine).join('\n');
  return all.length <= limit ? all : `${head(all, limit - 2)} …`;
}

function argumentLine({ label, value, note }: ArgumentRow): string {
  return `${label}: ${oneLine(value)}${note === null ? '' : ` ${note}`}`;
}
