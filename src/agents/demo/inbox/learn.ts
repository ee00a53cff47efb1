import { z } from 'zod';
import { LEARNED } from './texts.ts';
import { GREETING, readWishes } from './wishes.ts';

const lessonSchema = z.object({
  drafts_of: z.string(),
  lines: z.array(z.string()),
  taken_back: z.array(z.string()).default([]),
  removed: z.array(z.string()).default([]),
  added: z.array(z.string()).default([]),
  words: z.string().default(''),
});
type Lesson = z.output<typeof lessonSchema>;

interface Wish {
  /** How a line of this kind begins: there is one of each. */
  readonly kind: string;
  readonly text: string;
  readonly evidence: string;
}

type Learned = { readonly begins: string; readonly text: (words: string) => string };

const SIGN_OFF =
  /^(?:best|best regards|best wishes|kind regards|warm regards|regards|many thanks|thanks|thank you|cheers|sincerely|yours sincerely|all the best|viele grüße|mit freundlichen grüßen)[,.!]?$/i;
const MINUTES = /^duration_minutes: (\d+)$/;
const FROM_NOW_ON =
  /^(?:please )?(?:always|never|from now on|in future|every time)\b|\b(?:from now on|in future|every time)[.!]?$/i;

/** The answer of a model that learns from what people changed, as JSON; null for a question about something else. */
export function demoLearn(question: unknown): string | null {
  const read = lessonSchema.safeParse(question);
  return read.success
    ? JSON.stringify({ operations: findWishes(read.data).flatMap(toOperation(read.data)) })
    : null;
}

function findWishes({ added, removed, words }: Lesson): readonly Wish[] {
  const wishes: Wish[] = [];
  const add = ({ begins, text }: Learned, words: string, evidence: string) =>
    wishes.push({ kind: begins, text: text(words), evidence });
  const signedOff = added.find((line) => SIGN_OFF.test(line));
  if (signedOff !== undefined && removed.some((line) => SIGN_OFF.test(line))) {
    add(LEARNED.signOff, signedOff.replace(/[,.!]$/, ''), signedOff);
  }
  const greeted = added.find((line) => GREETING.test(line));
  const word = GREETING.exec(greeted ?? '')?.[1];
  if (word !== undefined && removed.some((line) => GREETING.test(line))) add(LEARNED.greet, word, word);
  const lasts = added.find((line) => MINUTES.test(line));
  if (lasts !== undefined) add(LEARNED.lasts, MINUTES.exec(lasts)?.[1] ?? '', lasts);
  for (const { text, wish } of readWishes(words)) {
    if (wish?.do === 'sign_off') add(LEARNED.signOff, wish.words, text);
    else if (wish?.do === 'greet') add(LEARNED.greet, wish.words, text);
    else if (wish?.do === 'short') add(LEARNED.short, '', text);
    else if (FROM_NOW_ON.test(text)) wishes.push({ kind: text, text, evidence: text });
  }
  return wishes;
}

/** What a wish does to the lines: nothing where one says it, or the person has taken it back. */
function toOperation({ lines, taken_back: takenBack }: Lesson) {
  return ({ kind, text, evidence }: Wish): readonly object[] => {
    const known = lines.map((line) => line.replace(/^\d+\. /, ''));
    if (known.includes(text) || takenBack.includes(text)) return [];
    const at = known.findIndex((line) => line.startsWith(kind));
    return at < 0 ? [{ do: 'add', text, evidence }] : [{ do: 'change', line: at + 1, text, evidence }];
  };
}
