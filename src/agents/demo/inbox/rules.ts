import { topics } from '../wording.ts';
import { readPeople } from './mail.ts';

/** What happens with a mail. */
export type Verdict = 'ignore' | 'notify' | 'respond';

/** A mail as rules tell it by. */
interface SortedMail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly automatic: string | null;
}

/** What a rule wants of the mails that it's about: a verdict, or any but one. */
type Ruling = { readonly verdict: Verdict } | { readonly not: Verdict };

/** One thing by which a mail is told: one of the options has to be named there. */
interface Condition {
  readonly field: 'from' | 'about' | 'any';
  readonly options: readonly string[];
}

interface Rule {
  readonly ruling: Ruling;
  /** All of them have to hold. */
  readonly conditions: readonly Condition[];
}

/** What is to be done, in the words that say it; what else a rule says is with which mails. The first that fits counts. */
const DEEDS: readonly (readonly [RegExp, Ruling])[] = [
  [
    /\b(?:never|don['’]t|do not|no) (?:ever )?(?:draft|write|send|answer|repl(?:y|ies)|respond)(?:ing|s)?\b(?: (?:an? |any )?(?:answers?|repl(?:y|ies)|responses?|drafts?)\b)?/i,
    { not: 'respond' },
  ],
  [/\b(?:never|don['’]t|do not) (?:ignore|skip|hide|miss)\b/i, { not: 'ignore' }],
  [/\b(?:never|don['’]t|do not) (?:notify|tell|show|bother|list)\b/i, { verdict: 'ignore' }],
  [/\b(?:ignored?|skip|hide|discard)\b/i, { verdict: 'ignore' }],
  [/\b(?:notify|notified|tell|show|list|let me know|inform)\b/i, { verdict: 'notify' }],
  [
    /\b(?:respond|answer|reply|draft)(?:ed)?\b(?: (?:an? )?(?:answers?|repl(?:y|ies)|responses?)\b)?/i,
    { verdict: 'respond' },
  ],
];
/** A rule that has one of these says more than the script reads in it. */
const BEYOND =
  /\b(?:unless|except|but|if|when|while|until|before|after|without|older|newer|than|not|never|between|during|because|instead)\b/i;
/** Words that say nothing of which mails these are. */
const FILLER =
  /\b(?:e?-?mails?|messages?|every(?:thing|body)?|anything|always|please|only|just|first|goe?s?|should|must|be|in (?:the|its|their) (?:subject|title|text)s?)\b/gi;
/** Before what a condition names. A rule begins as with the last of them. */
const FIELDS: readonly (readonly [RegExp, Condition['field']])[] = [
  [/\b(?:from|by)\b/gi, 'from'],
  [
    /\b(?:about|regarding|concerning|mentioning|containing|(?:that|which) (?:mention|contain|say|are about)s?)\b/gi,
    'about',
  ],
  [/\b(?:to|of|for|with)\b/gi, 'any'],
];
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:newsletters?|advertis\w+|ads|adverts?|promotions?|marketing)\b/i, 'newsletter'],
  [/\b(?:automatic (?:repl(?:y|ies)|answers?)|out[- ]of[- ]office)\b/i, 'auto_reply'],
  [/\bnotifications?\b/i, 'notification'],
];
/** “My boss is Carol Costa”: whom a rule means by that. */
const SAYS_WHO = /\bmy ([\p{L} ]{2,30}?) is ([^.,;\n]{2,60})\.?/giu;

/**
 * What the first rule wants that a mail falls under, and the rules that the script doesn't follow. A rule is a line such as
 * “mails from the newsletter: ignore” or “never draft answers to Anna”.
 */
export function applyRules(
  lines: readonly string[],
  background: string,
  mail: SortedMail,
): { readonly ruling: (Ruling & { readonly line: string }) | null; readonly unfollowed: readonly string[] } {
  const people = new Map(
    [...[background, ...lines].join('\n').matchAll(SAYS_WHO)].map(([, role = '', name = '']) => [
      `my ${role.toLowerCase()}`,
      name.trim(),
    ]),
  );
  const rules = lines
    .filter((line) => line.replace(SAYS_WHO, '').trim() !== '')
    .map((line) => ({ line, rule: readRule(line, people) }));
  const found = rules.find(({ rule }) => rule?.conditions.every((one) => holds(one, mail)));
  return {
    ruling: found?.rule ? { ...found.rule.ruling, line: found.line } : null,
    unfollowed: rules.flatMap(({ line, rule }) => (rule === null ? [line] : [])),
  };
}

/** A rule as the script understands it; null where it doesn't, or doesn't know whom it means. */
function readRule(line: string, people: ReadonlyMap<string, string>): Rule | null {
  const plain = line.replace(/["“”|]/g, '').replace(/[.!]+\s*$/, '');
  const deed = DEEDS.find(([words]) => words.test(plain));
  const which = deed ? plain.replace(deed[0], ' ') : '';
  if (deed === undefined || BEYOND.test(which)) return null;
  const conditions = readConditions(which).map(({ field, options }) => ({
    field,
    options: options.map((one) => people.get(one.toLowerCase()) ?? one),
  }));
  const isUnknown = conditions.some(
    ({ field, options }) => field !== 'about' && options.some((one) => /^my\b/i.test(one)),
  );
  return conditions.length === 0 || isUnknown ? null : { ruling: deed[1], conditions };
}

function readConditions(which: string): readonly Condition[] {
  const marked = FIELDS.reduce((text, [words, field]) => text.replace(words, `|${field} `), which);
  return `any ${marked}`.split('|').flatMap((part): Condition[] => {
    const field = FIELDS.find(([, name]) => part.startsWith(`${name} `))?.[1] ?? 'any';
    const options = part
      .slice(field.length)
      .replace(FILLER, ' ')
      .split(/,|\b(?:or|and)\b/i)
      .map((one) => one.replace(/\s+/g, ' ').replace(/^[\s:–-]+|[\s:–-]+$/g, ''))
      .filter((one) => topics(one).size > 0);
    return options.length === 0 ? [] : [{ field, options }];
  });
}

function holds({ field, options }: Condition, mail: SortedMail): boolean {
  const about = `${mail.subject}\n${mail.text}`;
  const text = { from: mail.from, about, any: `${mail.from}\n${about}` }[field];
  return options.some((option) => {
    const kind = KINDS.find(([words]) => words.test(option));
    const rest = kind ? option.replace(kind[0], ' ') : option;
    const isKind = kind !== undefined && kind[1] === mail.automatic;
    return (isKind && names(text, mail, rest)) || (topics(option).size > 0 && names(text, mail, option));
  });
}

/** Whether a text has all words of an option. Addresses and domains are told by whom a mail is from alone. */
function names(text: string, { from }: SortedMail, option: string): boolean {
  const words = option.toLowerCase().split(' ');
  const places = words.filter((word) => /^[^\s@]*@?[\w-]+(?:\.[\w-]+)+$/.test(word));
  const senders = readPeople(from).map(({ address }) => address);
  const isFrom = (place: string) =>
    senders.some(
      (one) => one === place || one.endsWith(`@${place.replace(/^@/, '')}`) || one.endsWith(`.${place}`),
    );
  const known = topics(text);
  return (
    places.every(isFrom) &&
    [...topics(words.filter((word) => !places.includes(word)).join(' '))].every((topic) => known.has(topic))
  );
}
