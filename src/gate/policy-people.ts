import type { ApproverRef } from './approver-rules.ts';
import type { Policy } from './policy.ts';

/** Everybody whom the rules of a policy name: as those who decide, or as those whom a ladder adds. Each once. */
export function peopleInPolicy({ rules }: Pick<Policy, 'rules'>): readonly ApproverRef[] {
  const named = rules.flatMap(({ approvers, ladder }) => [
    ...(approvers?.steps.flatMap(({ from }) => from) ?? []),
    ...(ladder?.flatMap(({ add }) => add) ?? []),
  ]);
  return [...new Set(named)];
}
