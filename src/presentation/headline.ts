import type { CallRecord } from '../gate/types.ts';
import { namedArguments, PLACEHOLDER, valueAt } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { readSpan } from '../lib/text/time-span.ts';
import { findChanges, findSubject, isChange, siblingsIn } from './argument-notes.ts';
import { summaryMembers } from './function-summary.ts';
import { isIdName, type Subject } from './id-names.ts';
import { describeSpan } from './people/free-time.ts';
import { nameRecipients } from './people/recipients.ts';
import { type Property, propertiesInOrder, readMembers, titleUse, unknownProperty } from './schema-labels.ts';
import { findSiblings, findSiblingsInObject, type Siblings } from './siblings.ts';
import { clip, head, oneLine, quoteText } from './text/clip.ts';
import { describeMoney, formatMoney } from './text/money.ts';
import { dateTimeParts, formatShortMoment, isDate, isTimeZone } from './text/time.ts';
import { toolTitle } from './text/title.ts';
import { visible } from './text/visible.ts';
import { HEADLINE } from './texts.ts';
import { formatValue, type ValueContext } from './values.ts';

/** Longest value within a headline, and longest headline, in characters. */
const VALUE_LENGTH = 60;
const HEADLINE_LENGTH = 240;
/** From how many characters on a headline says how long a text of one line is. */
const MANY_CHARACTERS = 500;
/** Longest list of what else changes, in characters. */
const CHANGES_LENGTH = 120;

type HeadlinedCall = Pick<CallRecord, 'tool' | 'arguments'>;

/**
 * The act and its object in one sentence: by the operator's template, such as "Move ‘Standup’ from Mon 23 Nov 09:00 to
 * Fri 27 Nov 09:00", or else from the tool's title, the argument that names the object, and its schema: "Create event
 * ‘Standup’, Tue 24 Nov 09:00". Never a model's or a server's sentence: their texts stand in quotes. It heads a call
 * and never stands instead of its arguments. Arguments that the tool's schema doesn't name have no part in it: most tools
 * ignore them, and a model could word the sentence with them.
 */
export function headline({ tool, arguments: given }: HeadlinedCall, resolve: ValueContext): string {
  const members = summaryMembers(tool, given);
  const call =
    members === null
      ? { tool, arguments: namedArguments(tool.inputSchema, given) }
      : { tool: { ...tool, inputSchema: {} }, arguments: members };
  const words = fromTemplate(call, resolve) ?? fromSchema(call, resolve);
  return clip(words, HEADLINE_LENGTH);
}

/** The first template whose values are all known; null where there is none. */
function fromTemplate(call: HeadlinedCall, resolve: ValueContext): string | null {
  const { arguments: args, tool } = call;
  const subject = findSubject(tool, args, resolve);
  for (const template of tool.card?.title ?? []) {
    const paths = [...template.matchAll(PLACEHOLDER)].map(([, path = '']) => path);
    const values = new Map(paths.map((path) => [path, fillPlaceholder(path, { call, subject, resolve })]));
    // Also where only their words are the same: such a sentence says that nothing changes.
    const isUnchanged = paths.some((path) => values.get(path) === values.get(`was.${path}`));
    if (isUnchanged || [...values.values()].includes(null)) continue;
    const sentence = template.replaceAll(PLACEHOLDER, (_all, path: string) => values.get(path) ?? '');
    const named = new Set(
      paths.filter((path) => !isOnlyCount(path) || paths.includes(`was.${path}`)).map(topName),
    );
    const more = otherChanges(call, resolve, named);
    return `${clip(sentence, HEADLINE_LENGTH - more.length)}${more}`;
  }
  return null;
}

/** What else the call changes, which the sentence doesn't name. */
function otherChanges(call: HeadlinedCall, resolve: ValueContext, named: ReadonlySet<string>): string {
  if (!isChange(call.tool)) return '';
  const others = findChanges(call.tool, call.arguments, resolve).filter(({ name }) => !named.has(name));
  return others.length === 0 ? '' : HEADLINE.alsoChanges(clip(labels(others), CHANGES_LENGTH));
}

interface Filling {
  readonly call: HeadlinedCall;
  readonly subject: Subject | null;
  readonly resolve: ValueContext;
}

/** The value behind a placeholder, as it stands in a sentence; null where there is none. */
function fillPlaceholder(path: string, { call, subject, resolve }: Filling): string | null {
  const { arguments: args, tool } = call;
  if (path === 'was') return subject?.name ? quote(subject.name) : null;
  if (path === 'start.span') {
    const span = readSpan(tool.inputSchema, args);
    return span === null || span.isWholeDays ? null : describeSpan(span, resolve);
  }
  const isOld = path.startsWith('was.') && args.was === undefined;
  const values = isOld ? (subject?.fields ?? {}) : args;
  const name = isOld ? path.slice('was.'.length) : path;
  const [property = unknownProperty(name, [])] = propertiesInOrder(tool, [topName(name)]);
  const value = valueAt(values, name);
  const siblings = isOld ? findSiblingsInObject(values) : siblingsIn(tool, args, resolve);
  const recipients = value !== undefined && name === 'to' ? nameRecipients(args, subject) : null;
  if (recipients !== null) return recipients;
  if (value !== undefined) return inSentence(property, value, siblings, resolve);
  const [, inner = '', what, one, more] = COUNT.exec(name) ?? [];
  const counted = valueAt(values, inner);
  if (what === 'lines' && typeof counted === 'string') return HEADLINE.lines(countLines(counted));
  if (what !== 'count' || !Array.isArray(counted) || counted.length === 0) return null;
  const word = counted.length === 1 ? one : more;
  return word === undefined ? String(counted.length) : `${counted.length} ${word}`;
}

/** How many: `content.lines`, `attendees.count`, or with a word for one and for more, `attendees.count|guest|guests`. */
const COUNT = /^(.+)\.(count|lines)(?:\|([^|]+)\|([^|]+))?$/;

/** Whether a placeholder says how many there are, but not which. */
function isOnlyCount(path: string): boolean {
  return COUNT.exec(path)?.[2] === 'count';
}

function topName(path: string): string {
  return path.split('.')[0] ?? path;
}

/** A value within a sentence: texts in quotes, so that none reads as a part of it. Null where there is nothing to show. */
function inSentence(
  property: Property,
  value: Json,
  siblings: Siblings,
  resolve: ValueContext,
): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && isMoment(value))
    return momentInSentence(value, siblings.zone?.zone ?? null, resolve);
  if (typeof value === 'number' || typeof value === 'boolean') {
    return visible(formatValue(property, value, resolve, siblings).words);
  }
  const thing = typeof value === 'string' ? nameBehind(property, value, resolve) : null;
  if (thing !== null) return quote(thing.name);
  return quote(typeof value === 'string' ? value : formatValue(property, value, resolve, siblings).words);
}

/** The object behind an id. What is no id, such as an address, is shown itself, whatever a server calls it. */
function nameBehind({ name }: Property, value: string, resolve: ValueContext) {
  return isIdName(name) ? resolve.findObject(name, value) : null;
}

/** A moment by the person's clock, or as it is written; with its zone where that's another. */
function momentInSentence(value: string, zone: string | null, resolve: ValueContext): string {
  const moment = formatShortMoment(value, resolve.timeZone, resolve.asOf);
  const isElsewhere = dateTimeParts(value)?.offset === null && zone !== null && zone !== resolve.timeZone;
  return isElsewhere ? `${moment} ${zone}` : moment;
}

/** Argument names that people identify things by, the most telling first. */
const NAMING = ['title', 'name', 'subject', 'summary', 'path', 'file', 'filename', 'url', 'to', 'query'];

/** The tool's title, the name that a person would use, and what changes; else the first date, and the lines of a text. */
function fromSchema(call: HeadlinedCall, resolve: ValueContext): string {
  const { tool, arguments: args } = call;
  const title = toolTitle(tool);
  const texts = propertiesInOrder(tool, Object.keys(args)).flatMap((property) => {
    const value = args[property.name];
    return typeof value === 'string' && value.trim() !== '' ? [{ property, value }] : [];
  });
  const dated = texts.find(({ value }) => isMoment(value))?.value;
  const object = findObject(texts.filter(({ value }) => value !== dated && !isTimeZone(value)));
  const thing = object && nameBehind(object.property, object.value, resolve);
  const subject = isChange(tool) ? findSubject(tool, args, resolve) : null;
  const name = subject?.name ?? thing?.name ?? object?.value ?? null;
  const act = [title === '' ? HEADLINE.noTitle : title, ...(name === null ? [] : [quote(name)])].join(' ');
  const changes = isChange(tool) ? findChanges(tool, args, resolve) : [];
  if (changes.length > 0) return `${act}: ${describeChange(changes, call, resolve)}`;
  const moment = dated ?? thing?.date ?? null;
  const siblings = siblingsIn(tool, args, resolve);
  const to = recipient(tool, args, resolve, object);
  const amount = findAmount(tool, args, siblings);
  const long = texts.find(({ value }) => value.includes('\n'));
  const wide = texts.find(({ value }) => value.length > MANY_CHARACTERS);
  return [
    `${act}${to === null ? '' : HEADLINE.to(to)}`,
    ...(amount === null ? [] : [visible(amount)]),
    ...(moment === null ? [] : [momentInSentence(moment, siblings.zone?.zone ?? null, resolve)]),
    ...(long === undefined
      ? wide === undefined
        ? []
        : [HEADLINE.characters(wide.value.length)]
      : [HEADLINE.lines(countLines(long.value))]),
  ].join(', ');
}

/** The first amount of money among the arguments, or the members that the schema names; null where none has a currency. */
function findAmount(tool: HeadlinedCall['tool'], args: JsonObject, { currency }: Siblings): string | null {
  const outer = currency?.code ?? null;
  const amounts = propertiesInOrder(tool, Object.keys(args)).flatMap(({ name }) => {
    const value = args[name];
    if (typeof value === 'number') return formatMoney(name, value, outer) ?? [];
    const members = isJsonObject(value) ? readMembers(tool.inputSchema, [name], titleUse(tool)) : [];
    const named = members.map((member) => member.name);
    const known = namedOnly(value, named);
    return named.flatMap((member) => describeMoney(member, known, outer) ?? []);
  });
  return amounts[0] ?? null;
}

function namedOnly(value: Json | undefined, names: readonly string[]): JsonObject {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([name]) => names.includes(name)));
}

/** Argument names that say for whom something is. */
const RECIPIENT = new Set(['to', 'recipient', 'recipients']);

/** For whom it is, in quotes; null where nothing says so, or that is what names the object. */
function recipient(
  tool: HeadlinedCall['tool'],
  args: JsonObject,
  resolve: ValueContext,
  object: TextArgument | null,
): string | null {
  const property = propertiesInOrder(tool, Object.keys(args)).find(({ name }) =>
    RECIPIENT.has(name.toLowerCase()),
  );
  const value = property && args[property.name];
  if (!property || value === undefined || property.name === object?.property.name) return null;
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty ? null : inSentence(property, value, findSiblings(args), resolve);
}

/** One short change as from old to new; of others, and of what looks the same in short, their labels. */
function describeChange(
  changes: ReturnType<typeof findChanges>,
  { tool, arguments: args }: HeadlinedCall,
  resolve: ValueContext,
): string {
  const [only, ...more] = changes;
  if (only && more.length === 0) {
    const old = inSentence(only, only.old, findSiblingsInObject(only.fields), resolve);
    const now = inSentence(only, args[only.name] ?? null, siblingsIn(tool, args, resolve), resolve);
    if (old !== null && now !== null && old !== now) {
      return HEADLINE.change(visible(oneLine(only.label)), old, now);
    }
  }
  return labels(changes);
}

function labels(properties: readonly Pick<Property, 'label'>[]): string {
  return properties.map(({ label }) => clip(visible(oneLine(label)), VALUE_LENGTH)).join(', ');
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

function isMoment(value: string): boolean {
  return isDate(value) || dateTimeParts(value) !== null;
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** More than is shown of a text; the rest need not be made visible first. */
const READ_LENGTH = 8 * VALUE_LENGTH;

function quote(words: string): string {
  const read = words.length > READ_LENGTH ? `${head(words, READ_LENGTH)}…` : words;
  return quoteText(clip(oneLine(visible(read)), VALUE_LENGTH), ['‘', '’']);
}
