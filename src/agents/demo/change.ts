import type { Moment } from '../../lib/text/spoken-times.ts';
import { cancelCall, choices, matching, moveCall, searchCall } from './calendar.ts';
import { type CalendarEvent, quoted, readEvents } from './events.ts';
import { type Intent, parseTarget } from './intent.ts';
import { ask, readAnswers } from './questions.ts';
import { FOUND, QUESTION } from './texts.ts';
import { type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from './turn.ts';
import { parseWhen, type When } from './when.ts';
import { withoutEmoji } from './wording.ts';

/** The most events that a question names. */
const MAX_CHOICES = 10;

/** Moves or deletes an event: searches, asks which and where to, and proposes the call. Null without the tools. */
export function change(
  intent: Extract<Intent, { kind: 'move' | 'cancel' }>,
  turn: Turn,
  input: DemoInput,
): DemoReply | null {
  const tool = toolNamed(input.tools, intent.kind === 'move' ? 'update_event' : 'delete_event');
  const search = searchCall(input.tools, input);
  if (!tool || !search) return null;
  const listed = turn.calls.find((call) => isCallTo(call, 'list_events'));
  if (!listed) return { toolCalls: [search] };

  const events = (readEvents(listed) ?? []).toSorted((one, other) => one.start.localeCompare(other.start));
  const { matches, to } = settle(intent, events, readAnswers(turn), input);
  const [event] = matches;
  if (!event) {
    const called = intent.title === '' ? FOUND.noneThatFits : FOUND.noneCalled(quoted(intent.title));
    const known = events.length > 0 ? FOUND.others(shortChoices(events)) : FOUND.emptyCalendar;
    return { text: FOUND.none(called, known) };
  }
  if (matches.length > 1) {
    const which = intent.title === '' ? QUESTION.whichMeeting : QUESTION.which(quoted(intent.title));
    return ask(which, shortChoices(matches), turn, input);
  }
  if (intent.kind === 'cancel') return { toolCalls: [cancelCall(event, tool)] };
  const move = moveCall(event, to, tool);
  if (move) return { toolCalls: [move] };
  return ask(QUESTION.newTime(quoted(event.title)), QUESTION.newTimeFor, turn, input);
}

/** The events that are still meant after the answers, and where to move one: an answer tells one or the other. */
function settle(
  intent: Extract<Intent, { kind: 'move' | 'cancel' }>,
  events: readonly CalendarEvent[],
  answers: readonly string[],
  moment: Moment,
): { readonly matches: readonly CalendarEvent[]; readonly to: When } {
  let matches: readonly CalendarEvent[] = matching(events, intent.title, [intent.on]);
  let to = intent.kind === 'move' ? intent.to : intent.on;
  for (const answer of answers) {
    if (matches.length <= 1) {
      to = parseTarget(answer, moment);
      continue;
    }
    const [which = '', ...target] = answer.split(/\s+(?:to|until)\s+/i);
    matches = chosen(matches, which, moment);
    if (target.length > 0) to = parseTarget(target.join(' to '), moment);
  }
  return { matches, to };
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
/** "2", "2.", "#2", "number 2", "the 2nd": a place in the list, and no time. */
const PLACE = /^(?:the )?(?:no\.?|number|#)?\s*(\d{1,2})(?:\.|st|nd|rd|th)?(?: one)?[.!]?$/;

/** The events that an answer may mean: by title, by place in the list, or by day and time; all, if it means none. */
function chosen(events: readonly CalendarEvent[], answer: string, moment: Moment): readonly CalendarEvent[] {
  const said = withoutEmoji(answer).toLowerCase();
  const place = events[Number(PLACE.exec(said)?.[1] ?? 0) - 1];
  if (place) return [place];
  const titled = events.filter(({ title }) => said.includes(title.toLowerCase()));
  const when = parseWhen(answer, moment);
  const named = titled.length > 0 ? titled : matching(events, when.rest.replace(/^(?:the|my)\s+/i, ''), []);
  const left = matching(named.length > 0 ? named : events, '', [when]);
  if (left.length > 0 && left.length < events.length) return left;
  // "The second one" is a place, also where it could be a day of the month.
  const index = ORDINALS.findIndex((word) => said.includes(word));
  const last = said.includes('last') ? events.at(-1) : undefined;
  const placed = last ?? events[index];
  return placed ? [placed] : events;
}

function shortChoices(events: readonly CalendarEvent[]): string {
  return choices(events.slice(0, MAX_CHOICES));
}
