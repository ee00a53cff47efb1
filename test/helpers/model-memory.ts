import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock';
import { contentOf } from './model-content.ts';

/** How the question begins that looks for what is to be remembered; nobody scripts its answers one by one. */
const QUESTION = 'From what a person wrote to an assistant';
const WORDS = 'What they wrote now:\n';

/** What a model finds in words that have `in`; with an empty one, in all. */
interface Finding {
  readonly in: string;
  readonly items: readonly object[];
}

/** The part of a scripted model that finds what is to be remembered: nothing, unless a test says what. */
export function createMemoryModel() {
  const findings: Finding[] = [];
  const read: string[] = [];
  let isSilent = false;
  return {
    /** The answer to a request of this kind; null for any other. */
    answer({ messages }: ChatCompletionRequest): FixtureResponse | Promise<FixtureResponse> | null {
      const [system, asked] = messages.map(contentOf);
      if (!system?.startsWith(QUESTION)) return null;
      const words = asked?.split(WORDS)[1] ?? '';
      read.push(words);
      if (isSilent) return new Promise(() => undefined);
      const found = findings.filter((finding) => words.includes(finding.in));
      return { content: JSON.stringify({ items: found.flatMap(({ items }) => items) }) };
    },
    /** From now on it finds this, too. */
    finds: (finding: Finding) => void findings.push(finding),
    /** From now on it doesn't answer. */
    staysSilent: () => {
      isSilent = true;
    },
    /** The words that it was asked about, in order. */
    read: (): readonly string[] => read,
  };
}
