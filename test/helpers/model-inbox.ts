import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock';
import { contentOf } from './model-content.ts';

/** How the questions begin that sort mails and that learn from what people do with drafts; nobody scripts their answers one by one. */
const TRIAGE = 'You sort the mails of a person.';
const LESSON = 'An assistant drafts things for a person';

/** What a model says of mails that have `in` in them; with the verdict `fails` it says nothing, and is asked again later. */
interface Judged {
  readonly in: string;
  readonly verdict: string;
  readonly reason: string;
}

/** The part of a scripted model that sorts mails, all for an answer, and learns nothing, unless a test says otherwise. */
export function createInboxModel() {
  const verdicts: Judged[] = [];
  const read = { triage: [] as string[], lesson: [] as string[] };
  let operations: readonly object[] = [];
  return {
    /** The answer to a request of this kind; null for any other. */
    answer({ messages }: ChatCompletionRequest): FixtureResponse | null {
      const [system = '', asked = ''] = messages.map(contentOf);
      if (!system.startsWith(TRIAGE) && !system.startsWith(LESSON)) return null;
      read[system.startsWith(LESSON) ? 'lesson' : 'triage'].push(asked);
      if (system.startsWith(LESSON)) return { content: JSON.stringify({ operations }) };
      const { verdict = 'respond', reason = 'It asks something.' } =
        verdicts.findLast((one) => asked.includes(one.in)) ?? {};
      if (verdict === 'fails') return { error: { message: 'the model is down' }, status: 400 };
      return { content: JSON.stringify({ verdict, reason }) };
    },
    /** From now on it says so of these mails. */
    judges: (judged: Judged) => void verdicts.push(judged),
    /** From now on it learns this. */
    learns(wanted: readonly object[]): void {
      operations = wanted;
    },
    /** What it was asked of mails, or of what people did, each in order, as JSON; without saying which, all. */
    read: (what?: 'triage' | 'lesson'): readonly string[] =>
      what ? read[what] : [...read.triage, ...read.lesson],
  };
}

/** `«mail»` as the id of the mail that was read last: servers name mails as they like. */
export function withMailId(args: string, requests: readonly ChatCompletionRequest[]): string {
  if (!args.includes('«mail»')) return args;
  const calls = requests.at(-1)?.messages.flatMap((message) => message.tool_calls ?? []) ?? [];
  const read = calls.findLast(({ function: { name } }) => name === 'read_mail')?.function.arguments ?? '{}';
  const id = /"message_id":"([^"]+)"/.exec(read)?.[1];
  if (id === undefined) throw new Error('No mail was read.');
  return args.replaceAll('«mail»', id);
}
