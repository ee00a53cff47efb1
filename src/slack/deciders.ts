import type { ApproverRef } from '../gate/approver-rules.ts';
import { inWords, nameOfRequester, tallyOf, termsOf } from '../gate/approvers.ts';
import { type CallRecord, nameOfVoice } from '../gate/types.ts';
import type { Deciders } from './cards/call-view.ts';
import type { Directory } from './directory.ts';

/** Who decides the call now, with names looked up. */
export async function decidersOf(call: CallRecord, directory: Directory): Promise<Deciders> {
  const { step, from, needed, approved, rejected } = tallyOf(call);
  const { steps, excludeRequester } = termsOf(call);
  const names = await Promise.all(from.map((ref) => nameOf(ref, call, directory)));
  const other = excludeRequester ? `, not ${call.requester.name},` : '';
  const who = inWords(from, names, needed);
  const parts = [
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
