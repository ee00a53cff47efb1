import { listRules } from '../../inbox/ports.ts';
import { INBOX } from '../texts/inbox.ts';
import { INBOX_FORM, NO_RULE } from '../texts/inbox-forms.ts';
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

/** Of how many rules a surface says that they can't be followed, and the characters of each. */
const BEYOND = { most: 6, longest: 180 };
/** Where what is to be done begins: with the rule, after a sign, or after a word before it. What is named before a colon is which mails. */
const BEFORE =
  /(?:^|[:,;–—→>-]|\b(?:and|then|please|always|automatically|also|just|(?:you|it|them|they) to|should|must|be)\b)\s*/;

/** What people may want of a rule that none does, by the verbs that ask for it; the first that fits counts. */
const DEEDS: readonly (readonly [RegExp, keyof typeof NO_RULE])[] = [
  [deed(/forward|redirect|pass/), 'forward'],
  [deed(/delete|trash|erase|remove|purge|throw/), 'remove'],
  [deed(/move|archive|file|label|tag|star|flag|put(?= (?:it|them|these|those|all) in)/), 'move'],
  [deed(/(?:call|phone|ring|text|sms|page|wake)(?= (?:me|us|him|her|them|my|our)\b)/), 'call'],
  [deed(/mark(?=(?: \S+){0,4} as\b)/), 'mark'],
  [deed(/block|unsubscribe/), 'block'],
  [deed(/print|pay|download|save|copy/), 'other'],
  [deed(/send(?! (?:(?:me|us|him|her|them) )?(?:an? |no |any )?(?:answer|repl|response|draft))/), 'send'],
];
/** Nothing of what follows is wanted. */
const NEVER = /\b(?:never|don['’]t|do not|no)\b/i;

/** These verbs as somebody is told to do it, or as what is to be done. */
function deed({ source: verbs }: RegExp): RegExp {
  return new RegExp(
    String.raw`(?:${BEFORE.source}(?:${verbs})\b|\b(?:be|get) (?:${verbs})e?d\b)(?!\s*:)`,
    'iu',
  );
}

/** The rules that ask for what no rule does, each with what that is, and what can be said in its place. */
export function rulesBeyond(rules: string): readonly string[] {
  const beyond = listRules(rules).flatMap((rule, index) => {
    const does = NEVER.test(rule) ? undefined : DEEDS.find(([words]) => words.test(rule))?.[1];
    return does === undefined
      ? []
      : INBOX_FORM.beyond(index + 1, strange(rule, BEYOND.longest), NO_RULE[does]);
  });
  return beyond.slice(0, BEYOND.most);
}
