import { recordKey } from '../../src/gate/call/digest.ts';
import { finalState } from '../../src/gate/call/lifecycle.ts';
import { callsOfPrograms, entryOfCall } from './programs.ts';
import type { World } from './world.ts';

/** What programs were told of their calls, and is not so; and calls that were made twice. */
export async function violationsOfPrograms(world: World): Promise<string[]> {
  const found = await callsOfPrograms(world);
  return world.plan.programs.flatMap(({ kind, entries }) =>
    entries.flatMap(({ entry }) => {
      const heard = world.heard.filter((one) => one.entry === entry);
      const made = found.filter((call) => entryOfCall(call) === entry);
      const problems: string[] = [];
      const report = (isBroken: boolean, what: string): void => {
        if (isBroken) problems.push(`${entry}: ${what}`);
      };
      const [last] = heard;
      report(last === undefined, 'its program has not heard of its end');
      if (!last) return problems;
      if (kind === 'mcp') {
        const [call] = made;
        // Nobody knows whether an answer came that was sent in the moment in which its program gave up: it asks anew.
        const isAnew = world.gaveUp.has(entry) && made.length > 1;
        const approved = made.filter(
          ({ decision }) => decision?.type === 'approve' || decision?.type === 'edit',
        );
        const times = world.ledger.count(entry);
        report(
          times > approved.length,
          `it happened ${times} times, and was approved ${approved.length} times`,
        );
        if (isAnew) return problems;
        report(made.length !== 1, `one call of a program is on record ${made.length} times`);
        const isGood = call?.state === 'succeeded';
        report(last.isGood !== isGood, `it was told “${last.words}”, and the call is ${call?.state}`);
        return problems;
      }
      const own = made.find((call) => recordKey(call) === last.callKey);
      const wasApproved = own?.decision?.type === 'approve';
      report(last.isGood && !wasApproved, 'its program may run it, and nobody approved it');
      report(last.isGood && own?.state !== 'succeeded', `it was reported, and is ${own?.state}`);
      report(!last.isGood && own !== undefined && finalState(own) === null, 'was refused, and has not ended');
      const others = made.filter((call) => call !== own && call.state === 'succeeded');
      report(others.length > 0, `${others.length} more calls of it have succeeded that nobody ran`);
      return problems;
    }),
  );
}
