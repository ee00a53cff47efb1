import type { Actor, AuditAction, AuditLog } from '../gate/types.ts';
import { checkPage } from './check.ts';
import {
  type CollectPorts,
  type Conversation,
  collectConversation,
  presentFiles,
  readAskers,
  readEntries,
} from './collect.ts';
import { createPage, EXPORTED, pageTitle } from './page.ts';
import type { Notebooks } from './ports.ts';
import { pageDigest } from './seal.ts';

interface NotebookPorts extends CollectPorts {
  readonly audit: AuditLog;
}

/** What anybody may do to a conversation that they have no part in. */
const NO_PART: readonly AuditAction[] = ['refused', EXPORTED];

/** Writes conversations as pages of a lab notebook. See docs/decisions/0090. */
export function createNotebooks({ audit, ...ports }: NotebookPorts): Notebooks {
  async function noteExport(threadId: string, actor: Actor, page: string): Promise<void> {
    for (;;) {
      const added = await audit.append([{ threadId, what: EXPORTED, actor, details: { page } }]);
      if ((await ports.store.commit({ expect: added.expect, put: added.put })).committed) return;
    }
  }

  return {
    async write(threadId, { by, reader }) {
      const conversation = await collectConversation(ports, threadId);
      if (conversation === null) return null;
      const page = createPage(conversation, reader);
      const digest = pageDigest(page);
      const { entries } = conversation;
      const isNoted = entries.some(({ what, details }) => what === EXPORTED && details.page === digest);
      if (!isNoted) await noteExport(threadId, by, digest);
      const title = pageTitle(conversation);
      return {
        title,
        page: { name: pageName(conversation), title, content: Buffer.from(page) },
        files: presentFiles(conversation),
        problems: checkPage(page, entries, { isExported: false }).map(({ problem }) => problem),
      };
    },

    async tookPart(threadId, { id }) {
      if (await ports.runs.hasWritten(threadId, id)) return true;
      const entries = await readEntries(ports, threadId);
      return entries.some(({ actor, what }) => actor.id === id && !NO_PART.includes(what));
    },

    async isOwn(threadId, { id }) {
      const people = await readAskers(ports, threadId);
      return people.length > 0 && people.every((person) => person === id);
    },
  };
}

/** The name of a page's file: the day on which the conversation began, and what it's called, in letters that every system takes. */
function pageName(conversation: Conversation): string {
  const { messages, calls } = conversation;
  const begun = Math.min(...messages.map(({ at }) => at), ...calls.map(({ proposedAt }) => proposedAt));
  const day = Number.isFinite(begun) ? `-${new Date(begun).toISOString().slice(0, 10)}` : '';
  const words =
    pageTitle(conversation)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return `${['notebook', ...words].join('-').slice(0, NAME_LENGTH).replace(/-$/, '')}${day}.md`;
}

/** Longest name of a page's file, without its day, in characters. */
const NAME_LENGTH = 60;
