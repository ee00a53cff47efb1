import type { AnyChunk, TaskUpdateChunk } from '@slack/types';

/** A step of the agent, as people see it. */
export interface ShownStep {
  readonly id: string;
  /** What it does, in words that are safe to show. */
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed';
}

/** What one call adds to a stream. */
export type Content = { readonly markdown_text: string } | { readonly chunks: AnyChunk[] };

const TASK_STATUS = { running: 'in_progress', done: 'complete', failed: 'error' } as const;

/** Words and steps as Slack takes them: https://docs.slack.dev/reference/methods/chat.appendStream */
export function content(words: string, steps: readonly ShownStep[]): Content {
  if (steps.length === 0) return { markdown_text: words };
  const tasks = steps.map(({ id, title, state }): TaskUpdateChunk => {
    return { type: 'task_update', id, title, status: TASK_STATUS[state] };
  });
  return { chunks: [...(words === '' ? [] : [{ type: 'markdown_text' as const, text: words }]), ...tasks] };
}

/** A blank, or a mark of a script that has none. */
const END_OF_WORD = /[\s、。，！？]/;

/** Whether the text ends a word somewhere: without that, there's no more to show than before. */
export function endsWord(text: string): boolean {
  return END_OF_WORD.test(text);
}

/** The longest reference, in characters. One ends on its line; what is longer or goes on there is none. */
const REFERENCE = 200;
const OPEN_REFERENCE = /<[!@#][^<>\n]*$/;

/**
 * How far text can be shown: whole words only, and no half of a reference such as `<!subteam^S1|the team>`, so that no
 * mention gets through in two pieces. Looks at no more than the end of the text, as it's asked with each piece.
 *
 * @param from where the text begins that isn't shown yet.
 */
export function completeWords(text: string, from: number): number {
  let end = text.length;
  while (end > from && !END_OF_WORD.test(text.charAt(end - 1))) end -= 1;
  const near = Math.max(from, end - REFERENCE);
  const open = OPEN_REFERENCE.exec(text.slice(near, end));
  return open === null ? end : near + open.index;
}
