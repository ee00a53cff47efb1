import type { JsonObject } from '../../../lib/json.ts';
import { splitName } from '../../../lib/readable-name.ts';
import { idKind, isIdName } from '../../../presentation/id-names.ts';
import { findSiblings } from '../../../presentation/siblings.ts';
import { dateTimeParts, isTimeZone, toEpochSeconds } from '../../../presentation/text/time.ts';
import { LIMITS } from '../../text/block-kit.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import type { Control } from './controls.ts';
import type { Field } from './fields.ts';
import { withRoom } from './long-text.ts';
import { splitItems } from './read.ts';
import { errorBlockId, type FieldErrors } from './read-form.ts';

/** Up to how many characters addresses stand on one line. */
const ONE_LINE = 120;

// By names of arguments, as servers of mail and calendars call them; case and underscores don't matter.
const BODY = ['body', 'text', 'message', 'content'];
const MAIL = [['to'], ['cc'], ['bcc'], ['subject'], BODY];
/** What a mail is one of, or is: an id of these says which. Other ids, such as the number that an SMS comes from, are as any argument. */
const WHICH_MAIL = ['message', 'mail', 'thread', 'conversation', 'draft'];
const START = ['start', 'starttime', 'startsat', 'startat', 'startdatetime'];
const END = ['end', 'endtime', 'endsat', 'endat', 'enddatetime'];
const LENGTH = ['duration', 'durationminutes', 'length', 'lengthminutes'];
const ZONE = ['timezone', 'tz'];
const GUESTS = ['attendees', 'guests', 'participants', 'invitees'];
const MEETING = [
  ['title', 'summary', 'subject', 'name'],
  START,
  END,
  LENGTH,
  ZONE,
  GUESTS,
  ['location', 'place', 'room'],
  ['description', 'notes'],
];

const PICKED = new Set<Control['kind']>(['date', 'instant', 'local']);

/**
 * The fields of a mail, and those of a meeting, as people know them from their mail program and calendar; all others as they are.
 * A mail has its recipients on a line each, then the text, with the cursor in it; what only says which mail it's about has no input.
 * A meeting has its title, when it is, who comes and where. It only depends on the tool and its arguments, and leaves nothing out.
 */
export function layOut(fields: readonly Field[], args: JsonObject): readonly Field[] {
  const has = (names: readonly string[]) => fields.some((field) => isOneOf(field, names));
  if (has(['to']) && has(BODY)) {
    // One alone: Slack opens no view in which two have the cursor.
    const body = fields.find(
      (field) => isOneOf(field, BODY) && ['text', 'parts'].includes(field.control.kind),
    );
    return inOrder(
      fields.map((field) => toMailField(field, field === body)),
      MAIL,
    );
  }
  if (has(START) && (has(END) || has(LENGTH))) return inOrder(toMeetingFields(fields, args), MEETING);
  return fields;
}

/** What is wrong with when a meeting is, beside its fields: an end before its start, where they can be compared, and a zone that there isn't. */
export function findMeetingProblem(fields: readonly Field[], values: JsonObject): FieldErrors {
  const [start, end] = [START, END].map((names) =>
    fields.find((field) => field.objects.length === 0 && isOneOf(field, names)),
  );
  const zone = start && findZoneProblem(fields, values);
  const [from, to] = [start, end].map((field) => readMoment(field && values[field.property.name]));
  if (!end || !from || !to || from.isLocal !== to.isLocal || to.at >= from.at) return { ...zone };
  return { ...zone, [errorBlockId(end)]: FIELD_ERROR.endsFirst };
}

/** How many zones are named that somebody may have meant. */
const MOST_MEANT = 3;

/** That an entered zone isn't one; nothing where the server names zones in another way, as what it had before says. */
function findZoneProblem(fields: readonly Field[], values: JsonObject): FieldErrors {
  const field = fields.find((one) => one.objects.length === 0 && isOneOf(one, ZONE));
  const entered = field && values[field.property.name];
  const isOwnWay = typeof field?.value === 'string' && !isTimeZone(field.value);
  if (!field || typeof entered !== 'string' || entered === field.value || isOwnWay) return {};
  if (isTimeZone(entered)) return {};
  const asIn = (words: string) => words.trim().toLowerCase().replaceAll(/\s+/g, '_');
  const isLike = (zone: string) => asIn(entered) !== '' && asIn(zone).includes(asIn(entered));
  const meant = Intl.supportedValuesOf('timeZone').filter(isLike);
  return { [errorBlockId(field)]: FIELD_ERROR.noZone(meant.slice(0, MOST_MEANT)) };
}

function readMoment(value: unknown): { readonly isLocal: boolean; readonly at: number } | null {
  const parts = typeof value === 'string' ? dateTimeParts(value) : null;
  if (parts === null) return null;
  return { isLocal: parts.offset === null, at: toEpochSeconds(String(value)) };
}

function toMailField(field: Field, isBody: boolean): Field {
  const { property, control, objects, value } = field;
  if (objects.length > 0) return field;
  if (saysWhichMail(property.name)) return { ...field, control: { kind: 'fixed', why: 'id' } };
  // What their labels say.
  const plain = { ...field, property: { ...property, description: null } };
  if (isBody) return { ...plain, control: toBody(field) };
  if (control.kind === 'parts') return plain;
  return isOneOf(field, ['to', 'cc', 'bcc']) ? { ...plain, control: onOneLine(field, value) } : field;
}

/** With room for more than it has; Slack itself refuses what is longer than an input may be, and says nothing of another one. */
function toBody({ control, property: { bounds } }: Field): Control {
  if (control.kind === 'parts') return { ...control, ...withRoom(control), isMain: true };
  if (control.kind !== 'text') return control;
  const { initial } = control;
  if (initial === '' || (bounds.maxLength ?? Number.POSITIVE_INFINITY) <= LIMITS.inputInitial) {
    return { ...control, input: 'main' };
  }
  return { kind: 'parts', isMain: true, ...withRoom({ parts: [initial], blanks: ['', ''] }) };
}

function saysWhichMail(name: string): boolean {
  return isIdName(name) && WHICH_MAIL.includes(idKind(name) ?? '');
}

/** Addresses on one line, where they can be read back from it. */
function onOneLine({ control, property }: Field, value: Field['value'] = []): Control {
  if (control.kind !== 'list' || property.items?.format !== 'email' || !Array.isArray(value)) return control;
  const initial = value.join(', ');
  const isSame = JSON.stringify(splitItems(property, initial)) === JSON.stringify(value);
  return isSame && initial.length <= ONE_LINE ? { ...control, initial, input: 'line' } : control;
}

function toMeetingFields(fields: readonly Field[], args: JsonObject): readonly Field[] {
  const zone = findZone(fields, args);
  const start = fields.find((field) => isOneOf(field, START) && field.control.kind === 'local');
  const end = fields.find((field) => isOneOf(field, END) && field.control.kind === 'local');
  const isShared = start !== undefined && end !== undefined && isOnSameDay(start.control, end.control);
  return fields.map((field): Field => {
    const { control, property } = field;
    if (isOneOf(field, GUESTS)) {
      return { ...field, control: onOneLine(field, field.value) };
    }
    if (!isOneOf(field, [...START, ...END]) || !PICKED.has(control.kind)) return field;
    // How a time is written is the picker's business.
    const picked = { ...field, property: { ...property, description: null } };
    if (control.kind !== 'local') return picked;
    const dateFrom = isShared && field === end ? start.blockId : null;
    return { ...picked, control: { ...control, zone, dateFrom, isShared } };
  });
}

function isOnSameDay(start: Control, end: Control): boolean {
  return start.kind === 'local' && end.kind === 'local' && start.initial.date === end.initial.date;
}

/** The zone in which local times are meant: as the arguments say, or as the schema does where they don't. */
function findZone(fields: readonly Field[], args: JsonObject): string | null {
  const field = fields.find((one) => isOneOf(one, ZONE));
  if (field === undefined || field.value !== undefined) return findSiblings(args).zone?.zone ?? null;
  const { defaultValue } = field.property;
  return typeof defaultValue === 'string' && isTimeZone(defaultValue) ? defaultValue : null;
}

/** The fields in the order of these names; after them the others, in their own. */
function inOrder(fields: readonly Field[], order: readonly (readonly string[])[]): readonly Field[] {
  const rank = (field: Field) => {
    const found = order.findIndex((names) => isOneOf(field, names));
    return found === -1 ? order.length : found;
  };
  return fields.toSorted((a, b) => rank(a) - rank(b));
}

function isOneOf({ property, objects }: Field, names: readonly string[]): boolean {
  const { name } = objects[0] ?? property;
  return names.includes(splitName(name).join('').toLowerCase());
}
