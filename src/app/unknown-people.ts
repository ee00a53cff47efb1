import type { ApproverRef } from '../gate/approver-rules.ts';
import type { Policy } from '../gate/policy.ts';
import { peopleInPolicy } from '../gate/policy-people.ts';

/** Says in the log whom the policy names and who cannot decide, such as a user that Slack does not know. Never rejects. */
export async function warnOfUnknownPeople(
  policy: Pick<Policy, 'rules'>,
  problemOf: (ref: ApproverRef) => Promise<string | null>,
  log: { warn(line: string): void; debug(details: object, line: string): void },
): Promise<void> {
  for (const ref of peopleInPolicy(policy)) {
    try {
      const problem = await problemOf(ref);
      if (problem !== null) log.warn(`The policy names ${ref}, who decides nothing: ${problem}`);
    } catch (error) {
      log.debug({ err: error }, 'who the policy names could not be looked up');
    }
  }
}
