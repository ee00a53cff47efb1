import { lengthInWords } from './policy-duration.ts';
import type { Deadline, Rung, TimeTerms } from './time-rules.ts';
import type { WorkingHours } from './working-hours.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** What a rule says of time, in lines of plain words. */
export function timeInWords({
  deadlines,
  ladder,
  hours,
  extensions,
  runWithinMs,
}: TimeTerms): readonly string[] {
  const often =
    extensions === 0
      ? 'not extended'
      : `extended at most ${extensions === 1 ? 'once' : `${extensions} times`}`;
  const counted = hours === null ? '' : `, counted in ${hoursInWords(hours)}`;
  return [
    `Open for: ${deadlines.map(deadlineInWords).join(', or less: ')}; ${often}`,
    ...(ladder.length === 0 ? [] : [`While nobody decides: ${ladder.map(rungInWords).join('; ')}${counted}`]),
    `Must run: ${runWithinMs === null ? 'whenever it can' : `within ${lengthInWords(runWithinMs)} of its approval`}`,
  ];
}

function deadlineInWords({ lastsMs, hours }: Deadline): string {
  if (lastsMs === null) return 'as long as it takes';
  const length = lastsMs === undefined ? 'as long as requests.open_for says' : lengthInWords(lastsMs);
  return hours === null ? length : `${length} of ${hoursInWords(hours)}`;
}

function hoursInWords({ days, from, to, zone, holidays }: WorkingHours): string {
  const names = days.map((day) => DAYS[day - 1]).join(' ');
  const free =
    holidays.length === 0
      ? ''
      : `, not on ${holidays.length} ${holidays.length === 1 ? 'holiday' : 'holidays'}`;
  return `${names}, ${from} to ${to} ${zone}${free}`;
}

function rungInWords({ afterMs, remind, add }: Rung): string {
  const does = [
    ...(remind ? ['a reminder'] : []),
    ...(add.length > 0 ? [`${add.join(', ')} may decide, too`] : []),
  ];
  return `after ${lengthInWords(afterMs)} ${does.join(', and ')}`;
}
