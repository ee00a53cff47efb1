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
const LAST_WORD = /[\s、。，！？][^\s、。，！？]*$/;

/** Whether the text ends a word somewhere: without that, there's no more to show than before. */
export function endsWord(text: string): boolean {
  return END_OF_WORD.test(text);
}

/**
 * The length of text that can be shown: whole words only, and no half of a reference such as
 * `<!subteam^S1|the team>`, so that no mention gets through in two pieces.
 */
export function completeWords(text: string): number {
  const end = text.search(LAST_WORD) + 1;
  const open = /<[!@#][^<>]*$/.exec(text.slice(0, end));
  return open === null ? end : open.index;
}
