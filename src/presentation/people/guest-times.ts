import type { Json, JsonObject } from '../../lib/json.ts';
import type { ArgumentRow } from '../argument-row.ts';
import { formatElsewhere } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { ARGUMENT_NOTE } from '../texts.ts';
import type { ValueContext } from '../values.ts';
import { findName, findPeople } from './names.ts';

/** How many clocks of others stand beside a time. */
const MOST_CLOCKS = 5;

/**
 * The rows, of which the first with a time of day says what the clocks of those say whom the call names elsewhere, or what was
 * read about it: a meeting's guests, say. Only people of the workspace have a clock that is known; those whose clock says the same aren't named.
 */
export function withGuestTimes(
  rows: readonly ArgumentRow[],
  args: JsonObject,
  resolve: ValueContext,
): ArgumentRow[] {
  const first = rows.find(({ inZone }) => inZone !== null);
  if (first === undefined) return [...rows];
  const clocks = guestClocks(args[first.name] ?? null, first.inZone?.zone ?? '', args, resolve);
  if (clocks.length === 0) return [...rows];
  const more = clocks.length > MOST_CLOCKS ? ARGUMENT_NOTE.more(clocks.length - MOST_CLOCKS) : '';
  const words = `${clocks.slice(0, MOST_CLOCKS).join('; ')}${more}`;
  const note = first.note === null ? `(${words})` : `(${first.note.slice(1, -1)}; ${words})`;
  return rows.map((row) => (row === first ? { ...row, note } : row));
}

/** One for each time of day that others have then, in the order in which the call names them. */
function guestClocks(at: Json, zone: string, args: JsonObject, resolve: ValueContext): readonly string[] {
  const byClock = new Map<string, string[]>();
  const read = resolve.subject?.shown?.map(({ value }) => value) ?? [];
  for (const person of findPeople({ args, read })) {
    const own = resolve.zoneOf(person);
    const time = own === null || typeof at !== 'string' ? null : formatElsewhere(at, zone, own, resolve.asOf);
    if (own === null || time === null) continue;
    const clock = `${time} ${own}`;
    byClock.set(clock, [...(byClock.get(clock) ?? []), visible(findName(person, resolve) ?? person)]);
  }
  return [...byClock].map(([clock, people]) => ARGUMENT_NOTE.clockOf(people.join(', '), clock));
}
