import { ASKS, DRAFT } from './texts.ts';

/** Something that somebody wants of a reply. */
export type Wish =
  | { readonly do: 'sign_off' | 'greet' | 'say' | 'add' | 'propose'; readonly words: string }
  | { readonly do: 'begin'; readonly words: string }
  | { readonly do: 'replace'; readonly words: string; readonly old: string }
  | { readonly do: 'short' | 'formal' | 'friendly' };

/** A part of what somebody wrote, with what it wants; null where the script doesn't know. */
interface Clause {
  readonly text: string;
  readonly wish: Wish | null;
}

/** How much of what somebody wrote is read, in characters: more than a form takes, and the patterns below take long for what is endless. */
const MOST_READ = 4_000;

/** What only belongs to one mail is no wish for all: these are. */
const STYLE: readonly Wish['do'][] = ['sign_off', 'greet', 'short', 'formal', 'friendly', 'add'];

/** Where another wish begins: after a sentence, a comma or “and”, with a word that wishes begin with. */
const BOUNDARY =
  /(?:[.!;\n]+\s*|,\s*(?:(?:and|but|then)\s+)?|\s+(?:and|but|then)\s+)(?=(?:please |also |always |never |from now on,? )*(?:sign (?:it|off|with|mails?|repl|all|every)|end (?:it|with)|close (?:it )?with|greet|begin (?:it )?with|start (?:it )?with|say|tell|let (?:him|her|them)|add|mention|ask (?:him|her|them|for|about|to|whether|if|when|what|where|how|who|why|which)|propose|suggest|offer|thank|make it|be |keep|use|replace|shorter|shorten|longer|briefer|friendlier|warmer|more|less|nicer|in [a-z]+$|translate|don['’]t|do not)\b)/i;
const BEFORE =
  /^(?:(?:please|and|also|but|then|no|ok|okay|always|from now on|in future|could you|can you)\b[, ]*)+/i;
const ALSO = /^(?:please |and )*also\b/i;
const AFTER = /(?:[ ,]+(?:please|instead|from now on|in future|always|every time|next time|again))+$/i;
/** Of whom the person speaks. */
const SOMEBODY = String.raw`(?:him|her|them|\p{Lu}[\p{L}-]+)`;
/** What a mail is called where something of all of it is wished. */
const ITEM = '(?: (?:it|off|them|(?:all |my |the |every )*(?:e-?mails?|mails?|repl(?:y|ies)|answers?)))';
const IT = `${ITEM}*`;
const THAT = String.raw`(?: that\b|:)?\s+`;

/** How mails begin. */
export const GREETING = /^(dear|hello|hi|hey|good (?:morning|afternoon|evening|day)|guten tag|hallo|moin)\b/i;
const QUESTION_WORD = /^(?:when|what|where|who|why|how|which|whether|if)\b/i;

type Reader = (found: readonly string[]) => Wish | null;

const WISHES: readonly (readonly [RegExp, Reader])[] = [
  [
    pattern(`sign(?:${ITEM}+(?: with|:)?| with|:) (?!as |by )(.{1,60})`),
    ([words = '']) => ({ do: 'sign_off', words: unquote(words) }),
  ],
  [
    pattern(`(?:end|close|finish)${IT} with (.{1,60})`),
    ([words = '']) => ({ do: 'sign_off', words: unquote(words) }),
  ],
  [
    pattern(`use (.{1,60}) (?:as|for) (?:the |a |my )?sign-?off`),
    ([words = '']) => ({ do: 'sign_off', words: unquote(words) }),
  ],
  [
    pattern(`(?:greet|begin|start|open|address)${IT}(?: ${SOMEBODY})? (?:with|by) (.{1,60})`),
    ([words = '']) => toGreeting(words),
  ],
  [pattern(`(?:propose|suggest|offer|make it)${THAT}(.+)`), ([words = '']) => ({ do: 'propose', words })],
  [
    pattern(`(?:replace|change) (.{1,200}?) (?:by|with|to|into) (.{1,200})`),
    ([old = '', words = '']) => toReplacement(old, words),
  ],
  [
    pattern(`(?:use |write |say |put )?(.{1,60}) instead of (.{1,60})`),
    ([words = '', old = '']) => toReplacement(old, words),
  ],
  [
    pattern(`(?:say )?thank(?:s| you)?(?: to)?(?: ${SOMEBODY})?( for .+)?`),
    ([what = '']) => ({ do: 'begin', words: DRAFT.thankYou(what) }),
  ],
  [pattern(`ask(?: ${SOMEBODY})?:?\\s+(.+)`), ([words = '']) => toQuestion(words)],
  [
    pattern(`(?:add|also say|mention(?=:| that))${THAT}(.+)`),
    ([words = '']) => ({ do: 'add', words: unquote(words) }),
  ],
  [
    pattern(
      `(?:say|tell ${SOMEBODY}|let ${SOMEBODY} know|(?:write|answer|reply)(?=:| that\\b| yes| no\\b))${THAT}(.+)`,
    ),
    ([words = '']) => ({ do: 'say', words: unquote(words) }),
  ],
];

/** How a reply is to be, in words that may stand anywhere; nothing else may stand beside them. */
const MANNERS: readonly (readonly [RegExp, Wish])[] = [
  [
    /\b(?:shorten|too (?:long|wordy)|less (?:long|wordy)|not (?:so|as|too|that) long|(?:more )?(?:concise(?:ly)?|briefly)|(?<!(?:too|so) )(?:short|brief)(?:er)?)\b/i,
    { do: 'short' },
  ],
  [/\b(?:less|too|not (?:so|as|too|that)) (?:friendly|casual|informal|warm|personal)\b/i, { do: 'formal' }],
  [
    /\b(?:(?:less|too|not (?:so|as|too|that)) (?:formal|stiff|cold|distant|polite)|friendlier|warmer|nicer|kinder|informal|(?:more )?(?:friendly|casual|warm|warmly|cordial|personal))\b/i,
    { do: 'friendly' },
  ],
  [/\b(?:politer|(?:more )?(?:formal|polite|professional)(?:ly)?)\b/i, { do: 'formal' }],
];
const BESIDE_MANNER =
  /\b(?:that|this|it|is|it['’]s|that['’]s|be|make|keep|write|put|use|say|i|want|like|with|to|a|bit|little|lot|much|the|my|all|mails?|repl(?:y|ies)|answers?|drafts?|text|tone|wording|style|should|could|would|can|you|too|sound|and|in|way|rather)\b/gi;

/** What somebody wants of a reply, part by part; what is too long to be read is a part that the script doesn't know. */
export function readWishes(text: string): readonly Clause[] {
  if (text.length <= MOST_READ) return readParts(text);
  const start = text.slice(0, MOST_READ);
  const end = /\s\S*$/.exec(start)?.index ?? MOST_READ;
  const rest = text.slice(end).trim();
  return [...readParts(text.slice(0, end)), ...(rest === '' ? [] : [{ text: rest, wish: null }])];
}

function readParts(text: string): readonly Clause[] {
  let isSaid = false;
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/(?: ?\n)+ ?/g, '\n')
    .split(BOUNDARY)
    .map((part) => part.trim().replace(/[.!;,]+$/, ''))
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map((part) => {
      const wish = readWish(part);
      if (wish?.do !== 'say') return { text: part, wish };
      // The first takes the place of what stands there, the others follow it.
      const said: Wish = isSaid || ALSO.test(part) ? { ...wish, do: 'add' } : wish;
      isSaid = true;
      return { text: part, wish: said };
    });
}

/** Whether a wish can be kept for all replies. */
export function isForAll({ wish }: Clause): boolean {
  return wish !== null && STYLE.includes(wish.do);
}

function readWish(part: string): Wish | null {
  // Names are told by their capitals, which a sentence begins with as well.
  const clause = part.replace(BEFORE, '').replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
  const short = clause.replace(AFTER, '');
  const manner = MANNERS.find(([words]) => words.test(short));
  if (manner && !/\p{L}/u.test(short.replace(manner[0], ' ').replace(BESIDE_MANNER, ' '))) return manner[1];
  for (const [words, read] of WISHES) {
    const found = words.exec(clause);
    const wish = found && read(found.slice(1));
    if (wish) return wish;
  }
  return null;
}

function pattern(words: string): RegExp {
  return new RegExp(`^${words}$`, 'su');
}

function toGreeting(words: string): Wish | null {
  const found = GREETING.exec(unquote(words));
  return found === null ? null : { do: 'greet', words: found[0] };
}

function toReplacement(old: string, words: string): Wish | null {
  return { do: 'replace', old: unquote(old), words: unquote(words) };
}

/** What is to be asked, as a question to whoever reads the mail; null where nothing says which. */
function toQuestion(words: string): Wish | null {
  const plain = unquote(words);
  if (plain.endsWith('?')) return { do: 'add', words: plain };
  const said = speakTo(plain);
  if (QUESTION_WORD.test(plain)) return { do: 'add', words: ASKS.whether(said) };
  if (/^to /i.test(plain)) return { do: 'add', words: ASKS.to(said.slice('to '.length)) };
  return /^(?:for|about) /i.test(plain) ? { do: 'add', words: ASKS.about(said) } : null;
}

const VERBS = new Map([
  ['is', 'are'],
  ['was', 'were'],
  ['has', 'have'],
  ['does', 'do'],
  ['goes', 'go'],
]);

/** Words about somebody, as they are said to them: “when he comes” is “when you come”. */
function speakTo(words: string): string {
  return words
    .replace(/\b(?:is|was|has|does) (?=(?:he|she)\b)/gi, (verb) => `${VERBS.get(verb.trim().toLowerCase())} `)
    .replace(
      /\b(?:he|she|they)( \w+)?/gi,
      (_, verb: string | undefined) => `you${verb ? ` ${toPlural(verb.trim())}` : ''}`,
    )
    .replace(/\b(?:his|their)\b/gi, 'your')
    .replace(/\bher(?= \p{L})/giu, 'your')
    .replace(/\b(?:him|her|them)\b/gi, 'you');
}

function toPlural(verb: string): string {
  return VERBS.get(verb.toLowerCase()) ?? verb.replace(/([^s])s$/, '$1');
}

/** Without the quotation marks around it, what people add behind it, and a comma that a sign-off ends with. */
function unquote(words: string): string {
  const plain = words.trim().replace(AFTER, '');
  return plain
    .replace(/^["“‘']+|["”’']+$/g, '')
    .replace(/,$/, '')
    .trim();
}
