import { listRules } from '../../inbox/ports.ts';
import { INBOX } from '../texts/inbox.ts';
import { strange } from './whole-mail.ts';

/** How many rules a surface has room for, and of each so many characters. */
interface Room {
  readonly most: number;
  readonly longest: number;
}

/**
 * Rules as lines with their numbers, in the order in which the form has them. What there is no room for is counted; the last is
 * always there, as it's the one that was just added.
 */
export function ruleLines(rules: string, { most, longest }: Room): readonly string[] {
  const all = listRules(rules).map((rule, index) => INBOX.rule(index + 1, strange(rule, longest)));
  if (all.length <= most) return all;
  return [...all.slice(0, most - 1), ...all.slice(-1), INBOX.moreRules(all.length - most)];
}
