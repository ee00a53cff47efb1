import { findFile, toName } from './documents/intent.ts';
import { NO_TOOL_FOR } from './texts.ts';

/** To be reminded of what there is isn't to be reminded at a time. */
const REMIND = /^remind\s+(me\s+(?!(?:of\s+)?(?:what|who|whom|when|where|which|how|why|if|whether)\b)\S.*)$/i;
const FORGET = /^(?:forget|delete|remove)\s+(\S.*?)[.!]?$/i;
/** What people ask an assistant for that a calendar and a folder don't give. */
const NO_TOOL: readonly (readonly [RegExp, string])[] = [
  [/\be-?mails?\b|\binbox\b|\bnewsletter\b/i, NO_TOOL_FOR.mail],
  [/\bweather\b|\bforecast\b|\brain(?:ing)?\b/i, NO_TOOL_FOR.weather],
  [/\bflights?\b|\bhotels?\b|\btrains?\b|\btaxi\b/i, NO_TOOL_FOR.travel],
  [/\bremind(?:ers?)?\b/i, NO_TOOL_FOR.reminders],
  [/\btranslate\b|\btranslation\b/i, NO_TOOL_FOR.translating],
  [/\b(?:google|search)\b|\bnews\b/i, NO_TOOL_FOR.web],
  [/\b(?:message|dm|ping|tell|text|phone|ring) (?!me\b)\w+/i, NO_TOOL_FOR.people],
  [/\b(?:tickets?|issues?|jira|github|pull requests?)\b/i, NO_TOOL_FOR.tickets],
];

/** A command, without its first word: `remind`, and what it's of. */
export interface Command {
  readonly command: 'remind' | 'forget';
  readonly of: string;
}

/** The command that does what a message asks for, which no tool does; null where there is none. */
export function findCommand(text: string): Command | null {
  const line = text.replace(/[\s`]+/g, ' ').trim();
  const [, of] = REMIND.exec(line) ?? [];
  if (of !== undefined) return { command: 'remind', of };
  const [, what = ''] = FORGET.exec(line) ?? [];
  const name = toName(what);
  return name !== '' && findFile(name) === name ? { command: 'forget', of: name } : null;
}

/** What a text asks for that needs a tool which this model doesn't know; null where it's nothing of that. */
export function findSubject(text: string): string | null {
  return NO_TOOL.find(([words]) => words.test(text))?.[1] ?? null;
}
