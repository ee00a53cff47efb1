import { scanIndex } from '../../storage/scan.ts';
import type { Store } from '../../storage/store.ts';
import { type CallView, describeAct } from '../cards/call-view.ts';
import { approverFacts } from '../cards/card-facts.ts';
import type { RequestView } from '../cards/request-card.ts';
import type { ApproverSummary } from '../people/types.ts';
import { collectWarnings } from '../views/decision-sheet.ts';
import { type Posted, posted, type ShownPrompt } from './collections.ts';

/** What a message says of the calls that wait on it, and of the steps of a plan that nobody is asked about. */
export function describePrompts(views: readonly CallView[]): readonly ShownPrompt[] {
  return views.flatMap((view) => {
    const { call, approvers } = view;
    const isStep = call.state === 'allowed' && call.after !== undefined;
    if (call.kind === 'question' || (call.state !== 'pending' && !isStep)) return [];
    return {
      callId: call.callId,
      headline: describeAct(view),
      asked: isStep || approvers === null ? [] : namedApprovers(approvers),
      warnings: isStep ? [] : [...collectWarnings(view)],
      ...(view.isForOwner && { isForOwner: true }),
    };
  });
}

/** Who can decide, by name, also where the message mentions them. */
function namedApprovers({ mentioning: _mentioned, ...approvers }: ApproverSummary): string[] {
  return approverFacts(approvers);
}

/** What the list of a request asks about calls that have no cards of their own. */
export function describeListed({ isListed, calls }: RequestView): readonly ShownPrompt[] {
  return isListed ? describePrompts(calls) : [];
}

/** The prompts of a message with those that it shows now: what it said before stays, as people saw it. */
export function addPrompts(
  known: Posted['prompts'],
  shown: readonly ShownPrompt[],
  at: number,
): Posted['prompts'] {
  const before = known ?? [];
  const isLatest = (prompt: ShownPrompt) => {
    const latest = before.findLast(({ callId }) => callId === prompt.callId);
    return (
      latest !== undefined && JSON.stringify({ ...latest, at: 0 }) === JSON.stringify({ ...prompt, at: 0 })
    );
  };
  const added = shown.filter((prompt) => !isLatest(prompt)).map((prompt) => ({ ...prompt, at }));
  return before.length + added.length === 0 ? undefined : [...before, ...added];
}

/** What the messages of a thread asked about its calls, in order. */
export async function readPrompts(store: Store, threadId: string): Promise<readonly ShownPrompt[]> {
  const found: NonNullable<Posted['prompts']>[number][] = [];
  for await (const { value } of scanIndex(store, posted, 'byThread', { prefix: [threadId] }))
    found.push(...(value.prompts ?? []));
  return found.toSorted((a, b) => a.at - b.at);
}
