import { TELL_PERSON } from '../shared/tool-messages.ts';
import { READS_DOCUMENTS } from './documents/answer.ts';
import { eventTime, quoted, readEvent } from './events.ts';
import { OUTCOME } from './texts.ts';
import { type EndedCall, isCallTo } from './turn.ts';

const READS = ['list_events', 'list_calendars', 'ask_user', 'get_parameter_value', ...READS_DOCUMENTS];
const UNCLEAR = /\b(?:in doubt|in_doubt|unclear|may or may not|not known|unknown whether)\b/i;
const SHOWN_LENGTH = 3_000;

/**
 * Summarises the outcomes of a turn's calls, from their ToolMessages and not from the proposals: a person may
 * have edited the arguments.
 */
export function summarise(calls: readonly EndedCall[]): string {
  const effects = calls.filter(
    (call) => call.status !== 'done' || !READS.some((name) => isCallTo(call, name)),
  );
  const rejected = effects.filter((call) => call.status === 'rejected');
  const unfinished = rejected.filter((call) => call.wishes.length === 0 && !wasRetried(call, effects));
  const lines = effects.map(describe);
  const closing =
    unfinished.length > 0 ? ['', OUTCOME.notAgain(unfinished.length, unfinished.some(hasTime))] : [];
  return [...(lines.length === 1 ? lines : lines.map((line) => `- ${line}`)), ...closing].join('\n');
}

/** The same, of each call only the first sentence of its result: what follows it are numbers. */
export function summariseSentences(calls: readonly EndedCall[]): string {
  return summarise(calls.map((call) => ({ ...call, text: call.text.split('\n')[0] ?? '' })));
}

/**
 * Whether a rejected call was retried: a later one does the same to the same event, or to a person's edit of
 * it.
 */
function wasRetried(call: EndedCall, calls: readonly EndedCall[]): boolean {
  return calls
    .slice(calls.indexOf(call) + 1)
    .some(
      (later) => later.name === call.name && (later.editedBy !== null || subject(later) === subject(call)),
    );
}

function hasTime({ arguments: { start } }: EndedCall): boolean {
  return typeof start === 'string';
}

function subject(call: EndedCall): string {
  const { title, event_id: id, path } = call.arguments;
  return [title, id, path].filter((part) => typeof part === 'string').join(' ');
}

function describe(call: EndedCall): string {
  if (call.rejection) {
    const { by, feedback, isSentBack } = call.rejection;
    if (call.wishes.length > 0) return OUTCOME.wanted(proposal(call), by);
    return (isSentBack ? OUTCOME.sentBack : OUTCOME.rejected)(proposal(call), by, feedback);
  }
  if (call.status === 'not_done') {
    const end = UNCLEAR.test(call.text) ? OUTCOME.unclear : OUTCOME.notDone;
    return end(proposal(call), call.text.replace(TELL_PERSON, ''));
  }
  const event = readEvent(call);
  if (event) {
    const change = call.editedBy === null ? '' : OUTCOME.changed(call.editedBy);
    const title = quoted(event.title);
    if (isCallTo(call, 'delete_event')) return OUTCOME.deleted(title, change);
    return OUTCOME.isOn(title, eventTime(event), change);
  }
  const change = call.editedBy === null ? '' : OUTCOME.ranAs(call.editedBy, proposal(call));
  return OUTCOME.done(inWords(call.name), `${shown(call)}${change}`);
}

function proposal(call: EndedCall): string {
  const { title, start, path, name } = call.arguments;
  const what = [
    typeof title === 'string' ? quoted(title) : '',
    typeof start === 'string' ? eventTime({ start }) : '',
    typeof path === 'string' ? path : '',
    typeof name === 'string' ? name : '',
  ].filter((part) => part !== '');
  return [inWords(call.name), ...(what.length > 0 ? [what.join(', ')] : [])].join(' ');
}

function shown(call: EndedCall): string {
  const cut = call.text.length > SHOWN_LENGTH ? OUTCOME.cut(call.text.slice(0, SHOWN_LENGTH)) : call.text;
  const fence = cut.includes('```') ? '````' : '```';
  return cut.includes('\n') ? `\n${fence}\n${cut}\n${fence}` : cut;
}

/** A tool's name as words: "calendar__create_event" → "create event". */
function inWords(name: string): string {
  return (name.split('__').at(-1) ?? name).replaceAll('_', ' ');
}
