import { stringify } from 'yaml';
import { nameRule } from '../../../gate/index.ts';
import type { PolicyRule, RuleSuggestion } from '../../../gate/types.ts';

/**
 * The rule as it would be, in YAML for `countersign.yaml`; null where nothing is said of the action, or where the policy has
 * no such rule any more. Conditions stay; what is about approvers goes.
 */
export function changeRule({ kind, metrics }: RuleSuggestion, policy: readonly PolicyRule[]): string | null {
  if (kind !== 'allow' && kind !== 'deny') return null;
  const rule = policy.find(({ name }, index) => nameRule({ name }, index) === metrics.rule);
  if (!rule) return null;
  const { name, tools, when } = rule;
  return stringify([{ ...(name && { name }), tools, ...(when && { when }), action: kind }]);
}
