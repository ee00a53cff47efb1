import { DateTime } from 'luxon';
import type { Moment } from '../../lib/text/spoken-times.ts';
import type { DemoCall, EndedCall } from './turn.ts';
import { localDateTime, parseWhen } from './when.ts';

const EXCUSE =
  /\b(?:busy|can't|can’t|cannot|unable|other plans|other lunch plans|already have|taken|not available)\b/i;
const WISH = /\b(?:make it|should be|must be|instead|rather|better|prefer|move it|change it|try)\b/i;

/**
 * A rejected call corrected by its feedback; null when the feedback names no new time, day or length: then
 * the call must not be tried again.
 */
export function correctedCall(call: EndedCall, feedback: string, moment: Moment): DemoCall | null {
  const start = call.arguments.start;
  if (typeof start !== 'string') return null;
  // "I'm busy at 10" names a time, but nobody asked for it.
  if (EXCUSE.test(feedback) && !WISH.test(feedback)) return null;
  const old = DateTime.fromISO(start, { setZone: true });
  if (!old.isValid) return null;

  const hint = parseWhen(feedback.replace(/\b(?:to|it)\s+(\d{1,2})\s*[.!]?$/i, 'at $1'), moment);
  const shifted = hint.shiftMinutes === null ? old : old.plus({ minutes: hint.shiftMinutes });
  const oldDay = old.toFormat('yyyy-MM-dd');
  const oldTime = old.toFormat('HH:mm');
  const day = hint.days.find((it) => it !== oldDay) ?? shifted.toFormat('yyyy-MM-dd');
  const time = hint.times.find((it) => it !== oldTime) ?? shifted.toFormat('HH:mm');
  const newStart = localDateTime(day, time);
  const newDuration = hint.durationMinutes ?? call.arguments.duration_minutes;
  if (newStart === localDateTime(oldDay, oldTime) && newDuration === call.arguments.duration_minutes)
    return null;
  return {
    name: call.name,
    arguments: {
      ...call.arguments,
      start: newStart,
      ...(newDuration === undefined ? {} : { duration_minutes: newDuration }),
    },
  };
}
