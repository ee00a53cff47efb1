import type { Actor, AuditAction, AuditLog } from '../gate/types.ts';
import { FairSlots } from '../lib/slots/fair-slots.ts';
import { isWithheld } from './call-section.ts';
import { checkPage } from './check.ts';
import {
  type CollectPorts,
  type Conversation,
  collectConversation,
  presentFiles,
  readAskers,
  readEntries,
  readFile,
} from './collect.ts';
import { EXPORTED, pageParts, pageTitle } from './page.ts';
import type { Notebook, Notebooks } from './ports.ts';
import { pageDigest, sealPage } from './seal.ts';

interface NotebookPorts extends CollectPorts {
  readonly audit: AuditLog;
}

/** What anybody may do to a conversation that they have no part in. */
const NO_PART: readonly AuditAction[] = ['refused', EXPORTED];

/** Writes conversations as pages of a lab notebook. See docs/decisions/0090. */
export function createNotebooks({ audit, ...ports }: NotebookPorts): Notebooks {
  // Several at the same time would take as long, and the memory of all of them.
  const slots = new FairSlots(1);

  async function noteExport(threadId: string, actor: Actor, page: string): Promise<void> {
    for (;;) {
      const added = await audit.append([{ threadId, what: EXPORTED, actor, details: { page } }]);
      if ((await ports.store.commit({ expect: added.expect, put: added.put })).committed) return;
    }
  }

  async function write(threadId: string, by: Actor, reader: Actor | null): Promise<Notebook | null> {
    const conversation = await collectConversation(ports, threadId);
    if (conversation === null) return null;
    const { calls, entries } = conversation;
    const page = await sealPage(pageParts(conversation, reader), {
      ...{ threadId, calls, entries: entries.filter(({ what }) => what !== EXPORTED) },
      isWithheld: (call) => isWithheld(call, reader),
    });
    const digest = pageDigest(page);
    const isNoted = entries.some(({ what, details }) => what === EXPORTED && details.page === digest);
    if (!isNoted) await noteExport(threadId, by, digest);
    const problems = await checkPage(page, entries, { isExported: false });
    const title = pageTitle(conversation);
    return {
      title,
      page: { name: pageName(conversation), title, content: Buffer.from(page) },
      files: presentFiles(conversation),
      problems: problems.map(({ problem }) => problem),
    };
  }

  return {
    async write(threadId, { by, reader }) {
      const done = await slots.acquire({ owner: by.id });
      try {
        return await write(threadId, by, reader);
      } finally {
        done();
      }
    },

    file: (threadId, name) => readFile(ports, threadId, name),

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
