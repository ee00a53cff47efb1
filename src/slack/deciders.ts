import type { ApproverRef } from '../gate/approver-rules.ts';
import { inWords, nameOfRequester, tallyOf, termsOf } from '../gate/approvers.ts';
import { type CallRecord, nameOfVoice } from '../gate/types.ts';
import type { Deciders } from './cards/call-view.ts';
import type { Directory } from './directory.ts';
import { slackUserOf } from './thread-id.ts';

/** Who decides the call now, with names looked up. */
export async function decidersOf(call: CallRecord, directory: Directory): Promise<Deciders> {
  const { step, from, needed, approved, rejected } = tallyOf(call);
  const { steps, excludeRequester } = termsOf(call);
  const names = await Promise.all(from.map((ref) => nameOf(ref, call, directory)));
  const other = excludeRequester ? `, not ${call.requester.name},` : '';
  const who = inWords(from, names, needed);
  const lack = call.state === 'pending' ? await lackOf(call, directory) : null;
  const parts = [
    ...(lack === null ? [] : [lack]),
    ...(steps.length > 1 && needed > 0 ? [`step ${step + 1} of ${steps.length}`] : []),
    ...(needed > 1 ? [`${approved.length} of ${needed} approved${namesOf(approved)}`] : []),
    // Whoever asked is named with theirs where they are among those who decide.
    ...(call.handOvers ?? [])
      .filter((one) => one.from.id !== call.requester.id)
      .map((one) => nameOfVoice({ actor: one.to, for: one.from })),
    ...(rejected.length > 0 ? [`rejected by ${rejected.join(', ')}`] : []),
  ];
  return {
    who: `${who}${other}`,
    verb: needed > 1 ? 'decide' : 'decides',
    progress: parts.length === 0 ? null : parts.join(' · '),
  };
}

/** That too few may approve a step that is not done, in words; null as far as it is known that there are enough. */
async function lackOf(call: CallRecord, directory: Directory): Promise<string | null> {
  const { step, from } = tallyOf(call);
  const left = termsOf(call).steps.slice(step);
  for (const [index, asked] of left.entries()) {
    const count = await countOf(index === 0 ? from : asked.from, call, directory);
    if (count === 0) return 'nobody can decide this';
    if (count < asked.quorum)
      return `nobody can approve this: it needs ${asked.quorum}, and only ${count} may`;
  }
  return null;
}

/** How many people these are at most, without whoever asked where they are excluded. */
async function countOf(
  from: readonly ApproverRef[],
  call: CallRecord,
  directory: Directory,
): Promise<number> {
  const requester = slackUserOf(call.requester.id) ?? call.requester.id;
  const people = new Set<string>();
  for (const ref of from) {
    const name = ref.slice(ref.indexOf(':') + 1);
    if (ref === 'requester') people.add(requester);
    else if (ref.startsWith('user:')) people.add(name);
    else if (ref.startsWith('api:')) people.add(ref);
    else {
      const members = ref === 'channel' ? null : await directory.membersOf(name);
      if (members === null) return Number.POSITIVE_INFINITY;
      for (const member of members) people.add(member);
    }
  }
  if (termsOf(call).excludeRequester) people.delete(requester);
  return people.size;
}

function namesOf(people: readonly string[]): string {
  return people.length === 0 ? '' : `: ${people.join(', ')}`;
}

async function nameOf(ref: ApproverRef, call: CallRecord, directory: Directory): Promise<string> {
  if (ref === 'requester') return nameOfRequester(call);
  if (ref === 'channel') return 'anybody in this channel';
  const name = ref.slice(ref.indexOf(':') + 1);
  if (ref.startsWith('user:')) return directory.nameOf(name);
  return ref.startsWith('group:') ? directory.groupName(name) : `the key ${name}`;
}
