import { hostname } from 'node:os';
import { pino } from 'pino';
import { readEnv } from '../../config/env.ts';
import { readDocumentStore } from '../../config/file.ts';
import { countCalls, findPermissions } from '../../gate/index.ts';
import { findPersonalPrograms } from '../../http/index.ts';
import { findInbox } from '../../inbox/index.ts';
import { type Clock, randomId } from '../../lib/clock.ts';
import { findMemory } from '../../memory/index.ts';
import { findAccounts } from '../../oauth/index.ts';
import {
  countMessages,
  findUsage,
  type RecordRemoval,
  type RemovalChoice,
  threads,
} from '../../runs/index.ts';
import { findSchedules } from '../../schedules/index.ts';
import type { DocumentIndex } from '../../storage/documents/index.ts';
import { localHolder } from '../../storage/lease/holder.ts';
import { scanIndex } from '../../storage/scan.ts';
import type { Ref, Store } from '../../storage/store.ts';
import { createKeptResults } from '../../tools/index.ts';
import { openStorage } from '../compose-storage.ts';
import { composeRecordRemoval } from '../record-retention.ts';
import {
  FORGET_DRY_RUN,
  FORGET_KEEPS_TODAY,
  FORGET_STAYS,
  forgetSummary,
  forgetUsage,
  openThreads,
} from '../texts/forget.ts';
import { forgetDocuments, openDocumentIndexes } from './forget-documents.ts';
import { requireData } from './open-store.ts';

/** Records that one commit deletes. */
const AT_ONCE = 200;
/** People in Slack, and keys of the HTTP API. */
const PERSON_ID = /^(?:slack:[^:\s]+:[^:\s]+|api:.+)$/;

interface ForgetOptions {
  readonly store: Store;
  readonly removal: RecordRemoval;
  /** Wherever documents are kept. */
  readonly indexes: readonly DocumentIndex[];
  /** As the audit names them: `slack:T…:U…`. */
  readonly personId: string;
  readonly clock: Clock;
  /** Otherwise it only says what it would do. */
  readonly isConfirmed: boolean;
  readonly print: (text: string) => void;
}

/**
 * Deletes what a person said, asked for and connected: messages, calls with their results, what the agent remembers
 * of those conversations, what is remembered of themselves, documents that they brought, what they have scheduled, their mailboxes, tokens, programs that they let in, remembered approvals,
 * delegations and what they used on earlier days. The audit stays. Threads with anything open are left; false if there were
 * any, so that it's run again.
 */
export async function forgetPerson(options: ForgetOptions): Promise<boolean> {
  const { store, removal, personId, clock, isConfirmed, print } = options;
  // First, so that none begins a thread meanwhile.
  const schedules = await findSchedules(store, personId);
  const inbox = await findInbox(store, personId);
  if (isConfirmed) await deleteAll(store, [...schedules, ...inbox.refs]);
  const brought = await forgetDocuments(options);
  const choice: RemovalChoice = {
    before: null,
    isMessageWanted: ({ actor }) => actor.id === personId,
    isCallWanted: ({ requester }) => requester.id === personId,
    forgetsConversation: true,
  };
  const counts = { threads: 0, messages: 0, calls: 0 };
  const left: string[] = [];
  for await (const { id } of scanIndex(store, threads, 'byCreation', {})) {
    const messages = await countMessages(store, id, choice.isMessageWanted);
    const calls = await countCalls(store, id, choice.isCallWanted);
    if (messages + calls === 0) continue;
    const result = isConfirmed ? await removal.removeRecords(id, choice) : null;
    if (result?.state === 'open') left.push(id);
    counts.threads += 1;
    counts.messages += result?.messages ?? messages;
    counts.calls += result?.calls ?? calls;
  }
  const accounts = await findAccounts(store, personId);
  const programs = await findPersonalPrograms(store, personId.split(':')[2] ?? '');
  const permissions = await findPermissions(store, personId);
  const usage = await findUsage(store, personId, clock());
  const memory = await findMemory(store, personId);
  if (isConfirmed)
    await deleteAll(store, [
      ...accounts.refs,
      ...programs.refs,
      ...permissions.grants,
      ...permissions.delegations,
      ...usage.earlier,
      ...memory.refs,
    ]);
  print(
    forgetSummary(personId, {
      ...counts,
      brought,
      servers: accounts.servers,
      programs: programs.programs,
      grants: permissions.grants.length,
      delegations: permissions.delegations.length,
      usage: usage.earlier.length,
      remembered: memory.count,
      schedules: schedules.length,
      inbox,
    }),
  );
  if (left.length > 0) print(openThreads(left));
  if (usage.hasToday) print(FORGET_KEEPS_TODAY);
  print(isConfirmed ? FORGET_STAYS : FORGET_DRY_RUN);
  return left.length === 0;
}

async function deleteAll(store: Store, refs: readonly Ref[]): Promise<void> {
  for (let from = 0; from < refs.length; from += AT_ONCE) {
    await store.commit({ delete: refs.slice(from, from + AT_ONCE) });
  }
  while (await store.reclaim()) {
    // Until nothing of what was deleted stands in the file.
  }
}

/** The command `forget`. Throws ConfigError; resolves with whether all was done. */
export async function runForget(
  variables: Readonly<Record<string, string | undefined>>,
  { person, yes }: { readonly person: string | undefined; readonly yes: boolean },
  print: (text: string) => void,
): Promise<boolean> {
  if (!person || !PERSON_ID.test(person)) {
    print(forgetUsage(person));
    return false;
  }
  const env = readEnv(variables);
  requireData(env);
  const shared = await readDocumentStore(env.configFile);
  const storage = await openStorage(env, null, pino({ level: 'silent' }));
  const { store } = storage;
  const indexes = openDocumentIndexes(env, shared);
  try {
    const removal = composeRecordRemoval({
      storage,
      clock: Date.now,
      holder: localHolder(hostname(), process.pid, randomId()),
      keptResults: createKeptResults({ store, clock: Date.now }),
    });
    const what = { personId: person, isConfirmed: yes };
    return await forgetPerson({ store, removal, indexes, ...what, clock: Date.now, print });
  } finally {
    await Promise.all(indexes.map((index) => index.close()));
    await storage.close();
  }
}
