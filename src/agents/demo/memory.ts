import type { BaseMessage } from '@langchain/core/messages';
import { HumanMessage } from '@langchain/core/messages';
import { isJsonObject } from '../../lib/json.ts';
import { readRemembered } from '../shared/speakers.ts';
import { MEMORY } from './texts.ts';

interface Statement {
  readonly kind: 'critical_fact' | 'preference';
  readonly key: string;
  readonly text: string;
  /** The words that say it. */
  readonly evidence: string;
}

/** What people say of themselves, as this script understands it: what is remembered is the last group. */
const STATEMENTS: readonly (readonly [RegExp, Statement['kind'], string])[] = [
  [/\b(?:[Mm]y name is|[Cc]all me)\s+([\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)/u, 'critical_fact', 'user_name'],
  [
    /\bI(?:'m| am)? work(?:ing)?(?: on [^.,;!?\n]{2,80}?)? (?:at|for) ([^.,;!?\n]{2,60})/i,
    'critical_fact',
    'company_name',
  ],
  [
    /\bI(?:'m| am)? work(?:ing)? on ((?:(?! (?:at|for) )[^.,;!?\n]){2,80})/i,
    'critical_fact',
    'recent_projects',
  ],
  [
    /\bI(?:'m| am) an? ([^.,;!?\n]*\b(?:engineer|scientist|designer|manager|developer|nurse|teacher|analyst|writer)\b)/i,
    'critical_fact',
    'job_title',
  ],
  [/\bkeep (?:your |the )?answers? (short|brief|long|detailed)\b/i, 'preference', 'detail_level'],
  [
    /\b(?:answer|write|reply) (?:to )?(?:me )?in (English|German|French|Spanish|Italian|Portuguese|Dutch|Polish)\b/i,
    'preference',
    'language',
  ],
  [/\bkeep it (casual|formal|friendly)\b/i, 'preference', 'tone'],
];

/** A message that says nothing but this, and may ask to remember it. */
const STATES =
  /^(?:please |hi,? |hello,? |remember that |note that )*(?:my name is|call me|I(?:'m| am| work)|keep|answer|write to me|reply)\b/i;

function findStatements(words: string): readonly Statement[] {
  return STATEMENTS.flatMap(([pattern, kind, key]) => {
    const found = pattern.exec(words);
    const text = found?.[1]?.trim();
    return found && text ? { kind, key, text, evidence: found[0] } : [];
  });
}

/** The answer of a model that looks for things to remember, as JSON. `question` ends with the words that were written. */
export function demoExtract(question: string): string {
  const words = question.split('\n').slice(2).join('\n');
  return JSON.stringify({ items: findStatements(words) });
}

/** Whether a message says something of who wrote it, and asks for nothing. */
export function isStatement(words: string): boolean {
  return STATES.test(words.trim()) && findStatements(words).length > 0;
}

/** What the model was told of whoever asks. */
function readTold(messages: readonly BaseMessage[]) {
  const asked = messages.findLast((message) => HumanMessage.isInstance(message));
  return readRemembered(asked?.text ?? '') ?? {};
}

/** The answer to what somebody says of themselves. */
export function noteStatement(messages: readonly BaseMessage[]): string {
  const told = readTold(messages);
  return typeof told === 'string' ? MEMORY.notNoted[told] : MEMORY.noted;
}

/** The answer to what is known of a person: what the model was told of them. */
export function tellRemembered(messages: readonly BaseMessage[]): string {
  const told = readTold(messages);
  if (typeof told === 'string') return MEMORY.notKnown[told];
  const lines = Object.entries(told).flatMap(([group, of]) =>
    Object.entries(isJsonObject(of) ? of : {}).flatMap(([key, texts]) =>
      [texts].flat().map((text) => MEMORY.line(describeKey(group, key), String(text))),
    ),
  );
  return lines.length === 0 ? MEMORY.nothing : [MEMORY.known, ...lines].join('\n');
}

function describeKey(group: string, key: string): string {
  return MEMORY.keys[key] ?? (group === 'preferences' ? MEMORY.otherPreference : MEMORY.otherFact);
}
