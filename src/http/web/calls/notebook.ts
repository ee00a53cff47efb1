import { html } from 'hono/html';
import { z } from 'zod';
import type { Notebooks } from '../../../notebook/ports.ts';
import { fileAnswer } from '../../records/file-answer.ts';
import type { Html } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { NOTEBOOK_PATH } from '../session/cookies.ts';
import { TIMELINE } from './texts.ts';
import type { ShowPage, Viewer } from './viewer.ts';

const querySchema = z.object({ thread: z.string().max(64_000).catch('').default('') });

/** `GET /dashboard/sessions/notebook`: a conversation as a page of a lab notebook, to save. */
export function notebookPage(show: ShowPage, notebooks: Pick<Notebooks, 'write' | 'isOwn'>): void {
  show({
    path: NOTEBOOK_PATH,
    current: 'sessions',
    async read(c, viewer) {
      const { thread } = querySchema.parse(c.req.query());
      if (!(await mayReadWhole(notebooks, viewer, thread))) return null;
      const notebook = await notebooks.write(thread, { by: viewer.actor, reader: viewer.actor });
      return notebook && fileAnswer(c, notebook.page);
    },
  });
}

/** Whether somebody may see all of a conversation: admins may, others where all that was asked for in it is theirs. */
export async function mayReadWhole(
  { isOwn }: Pick<Notebooks, 'isOwn'>,
  { actor, isAdmin }: Viewer,
  threadId: string,
): Promise<boolean> {
  return isAdmin || (await isOwn(threadId, actor));
}

/** The link to a conversation's notebook. */
export function notebookLink({ publicUrl }: Pick<WebPorts, 'publicUrl'>, thread: string): Html {
  const address = `${publicUrl()}${NOTEBOOK_PATH}?${new URLSearchParams({ thread })}`;
  return html`<p><a href="${address}">${TIMELINE.notebook}</a> <small class="soft">${TIMELINE.notebookWhat}</small></p>`;
}
