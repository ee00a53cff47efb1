import { z } from 'zod';
import { LEARNED } from './texts.ts';

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
const GREETING = /^(dear|hello|hi|hey|good morning|guten tag)\b/i;
const MINUTES = /^duration_minutes: (\d+)$/;
const SHORTER = /\b(?:shorter|more briefly|too long|keep it short|briefer)\b/i;
const FROM_NOW_ON = /[^.!?\n]*\b(?:always|never|from now on|in future|every time)\b[^.!?\n]*/i;

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
  const shorter = SHORTER.exec(words)?.[0];
  if (shorter !== undefined) add(LEARNED.short, '', shorter);
  const always = FROM_NOW_ON.exec(words)?.[0].trim();
  if (always !== undefined && shorter === undefined)
    wishes.push({ kind: always, text: always, evidence: always });
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
