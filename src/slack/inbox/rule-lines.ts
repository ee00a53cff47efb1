import { INBOX } from '../texts/inbox.ts';
import { strange } from './whole-mail.ts';

/** How many rules a surface has room for, and of each so many characters. */
interface Room {
  readonly most: number;
  readonly longest: number;
}

/** Rules as lines with their numbers, in the order in which the form has them; what there is no room for is counted. */
export function ruleLines(rules: string, { most, longest }: Room): readonly string[] {
  const all = rules.split('\n').filter((rule) => rule.trim() !== '');
  const shown = all.slice(0, most).map((rule, index) => INBOX.rule(index + 1, strange(rule, longest)));
  return all.length > most ? [...shown, INBOX.moreRules(all.length - most)] : shown;
}
