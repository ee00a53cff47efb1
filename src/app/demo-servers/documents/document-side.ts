import { join } from 'node:path';
import type { Env } from '../../../config/env.ts';
import type { FileConfig } from '../../../config/file.ts';
import { findPackageFile } from '../../../config/package-files.ts';
import { createKnowledge, createParseFile, type Knowledge } from '../../../knowledge/index.ts';
import { channelReader, EVERYBODY, type FindReaders, personReader } from '../../../knowledge/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Periodic } from '../../../lib/periodic.ts';
import { parseSlackThreadId } from '../../../slack/index.ts';
import { openDocumentIndex } from '../../../storage/documents/index.ts';
import { DOCUMENTS } from '../bundled.ts';

/** The documents that are learned, which are opened once they're needed. */
export interface DocumentSide extends Periodic {
  /** Why nothing can be given here: nothing is learned (`none`), or it would be gone later (`not_kept`). Null: it can. */
  readonly unusable: 'none' | 'not_kept' | null;
  readonly open: () => Promise<Knowledge>;
  /** Calls `use` once they are opened, before anything is learned. */
  whenOpened(use: (knowledge: Knowledge) => void): void;
  /** Learns what is configured from the start; what is there unless it is, only once somebody asks. Never rejects. */
  start(): Promise<void>;
}

interface DocumentPorts {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'knowledge' | 'servers'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** In direct messages somebody's own are found, in a channel the channel's; everywhere those of the workspace. */
const findReaders: FindReaders = async ({ personId, threadId }) => {
  const place = threadId === null ? null : parseSlackThreadId(threadId);
  if (place === null) return [EVERYBODY];
  const { team, channel } = place;
  if (!channel.startsWith('D')) return [EVERYBODY, channelReader(`slack:${team}:${channel}`)];
  return personId === null ? [EVERYBODY] : [EVERYBODY, personReader(personId)];
};

/** Composes what learns documents. What reads files is loaded in processes of its own. */
export function createDocumentSide({ env, file, clock, log }: DocumentPorts): DocumentSide {
  const given = file.knowledge.folders;
  const usual = env.documentsDir ?? findPackageFile('examples/documents');
  const folders = given.length > 0 ? given : usual === null ? [] : [usual];
  const users: ((knowledge: Knowledge) => void)[] = [];
  let opened: Promise<Knowledge> | null = null;
  async function load(): Promise<Knowledge> {
    // Where several processes share the work, each learns the folders for itself.
    const index = openDocumentIndex(env.redis === null ? join(env.dataDir, 'documents.db') : ':memory:');
    const knowledge = createKnowledge({ folders, index, parse: createParseFile(), clock, log, findReaders });
    for (const use of users) use(knowledge);
    return knowledge;
  }
  const open = () => {
    opened ??= load();
    return opened;
  };
  const isServed = Object.values(file.servers).some(
    (server) => 'in_process' in server && server.in_process === DOCUMENTS && !server.disabled,
  );
  return {
    unusable: isServed ? (env.redis === null ? null : 'not_kept') : 'none',
    open,
    whenOpened: (use) => void users.push(use),
    async start() {
      if (given.length === 0) return;
      await open()
        .then((knowledge) => knowledge.start())
        .catch((err: unknown) => log.error({ err }, 'the documents can’t be opened'));
    },
    runNow: async () => (await opened?.catch(() => null))?.look(),
    stop: async () => (await opened?.catch(() => null))?.stop(),
  };
}
