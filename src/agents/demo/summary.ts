import { eventTime, quoted, readEvent } from './events.ts';
import { type EndedCall, isCallTo } from './turn.ts';

const READS = ['list_events', 'list_calendars', 'ask_user'];
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
    unfinished.length > 0
      ? ['', `I have not tried ${unfinished.length === 1 ? 'it' : 'them'} again. ${HOW_TO_GO_ON}`]
      : [];
  return [...(lines.length === 1 ? lines : lines.map((line) => `- ${line}`)), ...closing].join('\n');
}

const HOW_TO_GO_ON = 'If you want another time or day, tell me which.';

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

function subject(call: EndedCall): string {
  const { title, event_id: id, path } = call.arguments;
  return [title, id, path].filter((part) => typeof part === 'string').join(' ');
}

function describe(call: EndedCall): string {
  if (call.rejection) {
    const { by, feedback } = call.rejection;
    if (call.wishes.length > 0) return `Not done: ${proposal(call)}. ${by} wants something else instead.`;
    return `Not done: ${proposal(call)}. Rejected by ${by}${feedback === '' ? '' : `: “${feedback}”`}.`;
  }
  if (call.status === 'not_done') {
    return `${UNCLEAR.test(call.text) ? 'Unclear' : 'Not done'}: ${proposal(call)}. ${call.text}`;
  }
  const event = readEvent(call);
  if (event) {
    const what = isCallTo(call, 'delete_event') ? 'is deleted' : `is on ${eventTime(event)}`;
    const by = call.editedBy === null ? '' : ` (${call.editedBy} changed it before approving.)`;
    return `Done: ${quoted(event.title)} ${what}.${by}`;
  }
  const change =
    call.editedBy === null
      ? ''
      : ` (${call.editedBy} changed it before approving: it ran as ${proposal(call)}.)`;
  return `Done: ${inWords(call.name)}. ${shown(call)}${change}`;
}

function proposal(call: EndedCall): string {
  const { title, start, path } = call.arguments;
  const what = [
    typeof title === 'string' ? quoted(title) : '',
    typeof start === 'string' ? eventTime({ start }) : '',
    typeof path === 'string' ? path : '',
  ].filter((part) => part !== '');
  return [inWords(call.name), ...(what.length > 0 ? [what.join(', ')] : [])].join(' ');
}

function shown(call: EndedCall): string {
  const cut = call.text.length > SHOWN_LENGTH ? `${call.text.slice(0, SHOWN_LENGTH)}… (cut)` : call.text;
  const fence = cut.includes('```') ? '````' : '```';
  return cut.includes('\n') ? `\n${fence}\n${cut}\n${fence}` : cut;
}

/** A tool's name as words: "calendar__create_event" → "create event". */
function inWords(name: string): string {
  return (name.split('__').at(-1) ?? name).replaceAll('_', ' ');
}
