/**
 * A rule's terms about time in words; a part of what explain.ts says. Like there, the texts stay with their grammar.
 */

import { formatDuration } from '../../lib/duration.ts';
import type { ApproverRef } from './approver-rules.ts';
import type { BusinessHours } from './business-hours.ts';
import type { Deadline, DeadlineTerms, EscalationStep } from './deadline-rules.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** A rule's terms about time, in lines of plain text. */
export function describeDeadlineTerms(
  { deadlines, ladder, hours, extensions, runWithinMs }: DeadlineTerms,
  nameOf: (ref: ApproverRef) => string = (ref) => ref,
): readonly string[] {
  const often =
    extensions === 0
      ? 'not extended'
      : `extended at most ${extensions === 1 ? 'once' : `${extensions} times`}`;
  const counted = hours === null ? '' : `, counted in ${describeBusinessHours(hours)}`;
  return [
    `Open for: ${deadlines.map(describeDeadline).join(', or less: ')}; ${often}`,
    ...(ladder.length === 0 ? [] : [`While nobody decides: ${describeEscalation(ladder, nameOf)}${counted}`]),
    `Must run: ${runWithinMs === null ? 'whenever it can' : `within ${formatDuration(runWithinMs)} of its approval`}`,
  ];
}

/** What happens while nobody decides: `after 1 hour a reminder; after 2 hours group:a may decide, too`. */
export function describeEscalation(
  ladder: readonly EscalationStep[],
  nameOf: (ref: ApproverRef) => string = (ref) => ref,
): string {
  return ladder.map((step) => describeEscalationStep(step, nameOf)).join('; ');
}

/** A deadline in plain text: its length, and its business hours if it has any. */
export function describeDeadline({ lastsMs, hours }: Deadline): string {
  if (lastsMs === null) return 'as long as it takes';
  const length = lastsMs === undefined ? 'as long as requests.open_for says' : formatDuration(lastsMs);
  return hours === null ? length : `${length} of ${describeBusinessHours(hours)}`;
}

function describeBusinessHours({ days, from, to, zone, holidays }: BusinessHours): string {
  const names = days.map((day) => DAYS[day - 1]).join(' ');
  const free =
    holidays.length === 0
      ? ''
      : `, not on ${holidays.length} ${holidays.length === 1 ? 'holiday' : 'holidays'}`;
  return `${names}, ${from} to ${to} ${zone}${free}`;
}

function describeEscalationStep(
  { afterMs, remind, add }: EscalationStep,
  nameOf: (ref: ApproverRef) => string,
): string {
  const does = [
    ...(remind ? ['a reminder'] : []),
    ...(add.length > 0 ? [`${add.map(nameOf).join(', ')} may decide, too`] : []),
  ];
  return `after ${formatDuration(afterMs)} ${does.join(', and ')}`;
}
