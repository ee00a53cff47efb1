import type { FileConfig } from '../../config/file.ts';
import type { Gate } from '../../gate/index.ts';
import type { AuditLog, CallRecord } from '../../gate/types.ts';
import { findNewerThan, Inbox } from '../../inbox/index.ts';
import type { MailServer, PersonInbox, ReadUnattended } from '../../inbox/ports.ts';
import { waitFor } from '../../lib/backoff.ts';
import type { Clock, Ids } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { toLine } from '../../lib/text/model-answer.ts';
import type { Limits, Runs } from '../../runs/index.ts';
import { createProgramPlaces, findNews, readSlackUser, type SlackConnection } from '../../slack/index.ts';
import type { Store } from '../../storage/store.ts';
import type { ReadUnrecorded } from '../../tools/index.ts';
import type { Extract } from '../compose-models.ts';
import type { ToolSide } from '../compose-tools.ts';
import { MAIL } from '../demo-servers/bundled.ts';
import { createAskBeside } from '../memory/ask-beside.ts';
import { createMarkAsRead } from './mark-as-read.ts';

/** Longest part of a mail server's own words that is passed on, in characters. */
const LONGEST_SAID = 300;
/** The connectors that are mailboxes. */
const MAIL_CONNECTORS: readonly string[] = ['gmail', 'imap'];

interface InboxSidePorts {
  readonly file: Pick<FileConfig, 'inbox' | 'servers'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly gate: Pick<Gate, 'requests' | 'policy'>;
  readonly limits: Pick<Limits, 'assertTokens' | 'spend'>;
  readonly extract: Extract;
  readonly toolSide: Pick<ToolSide, 'offer'>;
  readonly read: ReadUnrecorded;
  readonly connection: SlackConnection;
  /** The runs, which are composed after it. */
  readonly runs: () => Pick<Runs, 'openThread'>;
  readonly stopping: AbortSignal;
}

/** Composes the mailboxes that are watched. */
export function createInboxSide({ file, toolSide, read, ...ports }: InboxSidePorts): Inbox {
  const { enabled, look_seconds: seconds, drafts_per_day: draftsPerDay } = file.inbox;
  const askBeside = createAskBeside(ports);
  return new Inbox({
    ...ports,
    read: readUnattended(read),
    isEnabled: enabled,
    servers: listMailServers(file.servers),
    wait: waitFor,
    lookMs: seconds * 1_000,
    draftsPerDay,
    ask: ({ owner, place }) => askBeside({ kind: 'person', owner: owner.id, channel: place }),
    markAsRead: createMarkAsRead({
      ...ports,
      offer: toolSide.offer,
      openThread: (thread) => ports.runs().openThread(thread),
      findPlace: createProgramPlaces(ports.connection),
    }),
  });
}

/** What the gate asks for beside each approval, see its `findNews`; it's composed before the mailboxes are. */
export function createFindNews(store: Store) {
  const inbox: Pick<PersonInbox, 'newerThan'> = {
    newerThan: (threadId, draftedAt) => findNewerThan(store, threadId, draftedAt),
  };
  return (call: CallRecord) => findNews(inbox, call);
}

/** What can't be read until somebody does something is told; what may be read later is tried again. */
function readUnattended(read: ReadUnrecorded): ReadUnattended {
  return async ({ name: tool, person: owner, ...asked }) => {
    const answer = await read({ ...asked, tool, owner });
    if ('structured' in answer) return answer;
    const { why, said, isImpossible } = answer;
    // Without words, what is wrong is for whoever reads the log: an answer of no use, or a question in the middle of a read.
    if (why === 'silent' || (why === 'refused' && said === null)) {
      throw new Error(said ?? `${asked.server}.${tool} gave nothing to read, or isn’t ready`);
    }
    const problem = { why, said: why === 'refused' ? toLine(said ?? '', LONGEST_SAID) : '' };
    return { problem, ...(isImpossible && { isImpossible }) };
  };
}

function listMailServers(servers: FileConfig['servers']): readonly MailServer[] {
  return Object.entries(servers).flatMap(([name, config]) => {
    const isMail =
      ('connector' in config && MAIL_CONNECTORS.includes(config.connector)) ||
      ('in_process' in config && config.in_process === MAIL);
    if (!isMail) return [];
    const { owner, channel = null, push } = 'connector' in config ? config : {};
    const isFor = (personId: string) => owner === undefined || readSlackUser(personId) === owner;
    return [{ name, channel, isFor, canTell: push !== undefined }];
  });
}
