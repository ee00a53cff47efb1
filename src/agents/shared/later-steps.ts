import { isDeepStrictEqual } from 'node:util';
import { type BaseMessage, isAIMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { LaterSteps } from '../../gate/types.ts';
import { type PlanMark, readPlanMark } from './plan-mark.ts';

type Later = PlanMark['plan']['later'];

/**
 * What became of the later steps of the run's plans, oldest plan first: the call of a further plan that each became, the
 * newest where one ended without success. A step is the call of its tool that has most of the arguments that were known.
 */
export function laterSteps(messages: readonly BaseMessage[]): readonly LaterSteps[] {
  const inRun = messages.slice(messages.findLastIndex((message) => isHumanMessage(message)) + 1);
  const failed = new Set(
    inRun.flatMap((message) =>
      isToolMessage(message) && message.status === 'error' ? [message.tool_call_id] : [],
    ),
  );
  const plans = inRun.flatMap((message) => {
    const plan = isAIMessage(message) ? readPlanMark(message) : null;
    return isAIMessage(message) && plan ? [{ calls: message.tool_calls ?? [], later: plan.later }] : [];
  });
  return plans.flatMap(({ calls, later }, index) => {
    if (later.length === 0) return [];
    const became = later.map((): string | null => null);
    for (const next of plans.slice(index + 1)) assign(next.calls, later, { became, failed });
    return [{ of: calls.flatMap(({ id }) => id ?? []), became }];
  });
}

/** Finds the calls that are later steps which nothing has done yet, those that are most alike first. */
function assign(
  calls: readonly ToolCall[],
  later: Later,
  { became, failed }: { readonly became: (string | null)[]; readonly failed: ReadonlySet<string> },
): void {
  const open = new Set(became.flatMap((id, at) => (id === null || failed.has(id) ? [at] : [])));
  const pairs = later.flatMap((step, at) =>
    calls.flatMap(({ id, name, args }) =>
      open.has(at) && id !== undefined && name === step.tool
        ? [{ at, id, alike: countAlike(step, args) }]
        : [],
    ),
  );
  const taken = new Set<string>();
  for (const { at, id } of pairs.toSorted((one, other) => other.alike - one.alike)) {
    if (!open.has(at) || taken.has(id)) continue;
    became[at] = id;
    open.delete(at);
    taken.add(id);
  }
}

function countAlike(step: Later[number], args: ToolCall['args']): number {
  return Object.entries(step.arguments).filter(([name, value]) => isDeepStrictEqual(value, args[name]))
    .length;
}
