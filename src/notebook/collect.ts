import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EVERY_CALL, type Gate, readLatestEntries } from '../gate/index.ts';
import {
  type AuditEntry,
  type CallRecord,
  type Kept,
  oldestFirst,
  type RequestRecord,
} from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import { listFiles } from '../presentation/result.ts';
import type { MailboxItem, Runs, ThreadRecord } from '../runs/index.ts';
import type { Store } from '../storage/store.ts';
import type { NotebookFile } from './ports.ts';
import { REFUSED } from './texts.ts';

/** The most of a conversation that one page holds, and its length in characters; of its files also the bytes in all. */
const MOST = {
  ...{ messages: 2_000, calls: 2_000, entries: 20_000, page: 5_000_000 },
  ...{ files: 50, bytes: 100_000_000 },
};
/** Calls read at a time. */
const PAGE = 200;
/** How often a conversation is read that goes on meanwhile. */
const READINGS = 5;

/** What a message asked about a call, as people saw it. */
export interface Prompt {
  readonly callId: string;
  readonly headline: string;
  /** Who could decide it, in words; nothing for a step of a plan that nobody was asked about. */
  readonly asked: readonly string[];
  readonly warnings: readonly string[];
  /** Only the call's requester was shown it, perhaps with what their own account answered. */
  readonly isForOwner?: true | undefined;
}

export interface CollectPorts {
  readonly store: Store;
  readonly gate: {
    readonly calls: Pick<Gate['calls'], 'search'>;
    readonly requests: Pick<Gate['requests'], 'get'>;
  };
  readonly runs: Pick<Runs, 'thread' | 'messages' | 'hasWritten'>;
  /** The bytes of a file that is kept beside its call's record; null when it isn't kept any more. */
  readonly bytes: (threadId: string, kept: Kept) => Promise<Buffer | null>;
  /** Whether a thread is in a channel, where others read what is said in it. */
  readonly isInChannel: (threadId: string) => boolean;
  /** What was asked about a thread's calls, in order, as far as it was asked in messages that are on record. */
  readonly prompts: (threadId: string) => Promise<readonly Prompt[]>;
}

/** A file of a call's result; without content where that is gone, or left out because there are too many. */
export interface CallFile {
  readonly name: string;
  readonly title: string;
  readonly content: Buffer | 'gone' | 'left_out';
  /** SHA-256 of the content. */
  readonly hash: string;
}

/** All that is on record of a conversation, as of one moment. */
export interface Conversation {
  readonly threadId: string;
  /** Whether others read what is said in it. */
  readonly isInChannel: boolean;
  /** Null for a conversation that nobody began by writing. */
  readonly thread: ThreadRecord | null;
  /** Oldest first, and so are the calls. */
  readonly messages: readonly MailboxItem[];
  readonly calls: readonly CallRecord[];
  readonly requests: ReadonlyMap<string, RequestRecord>;
  /** The files of the calls, in their order. */
  readonly files: ReadonlyMap<CallRecord, readonly CallFile[]>;
  /** What people were asked, by the ids of the calls. */
  readonly prompts: ReadonlyMap<string, readonly Prompt[]>;
  /** Its chain of the audit. */
  readonly entries: readonly AuditEntry[];
}

/**
 * Reads a conversation; null where there is none.
 * @throws AppError `notebook_too_long`, `notebook_changing`
 */
export async function collectConversation(
  ports: CollectPorts,
  threadId: string,
): Promise<Conversation | null> {
  for (let reading = 0; reading < READINGS; reading += 1) {
    const entries = await readEntries(ports, threadId);
    const [thread, messages, calls] = await Promise.all([
      ports.runs.thread(threadId),
      ports.runs.messages(threadId, MOST.messages),
      readCalls(ports, threadId),
    ]);
    if (messages.length === MOST.messages) throw tooLong();
    if (entries.length + messages.length + calls.length === 0) return null;
    // Each change of a call is in the audit: while that has nothing new, the calls are as it says.
    if ((await readEntries(ports, threadId)).length !== entries.length) continue;
    const [requests, files, prompts] = await Promise.all([
      readRequests(ports, calls),
      readFiles(ports, calls),
      readPrompts(ports, threadId),
    ]);
    const isInChannel = ports.isInChannel(threadId);
    return { threadId, isInChannel, thread, messages, calls, requests, files, prompts, entries };
  }
  throw new AppError({ code: 'notebook_changing', userMessage: REFUSED.changing, retryable: true });
}

/** The ids of those who wrote in a conversation or for whom something was called; none of one that is too long for a page. */
export async function readAskers(ports: CollectPorts, threadId: string): Promise<readonly string[]> {
  try {
    const [messages, calls] = await Promise.all([
      ports.runs.messages(threadId, MOST.messages),
      readCalls(ports, threadId),
    ]);
    return [...messages.map(({ actor }) => actor.id), ...calls.map(({ requester }) => requester.id)];
  } catch (error) {
    if (error instanceof AppError && error.code === TOO_LONG) return [];
    throw error;
  }
}

/** A conversation's chain of the audit, oldest first. */
export async function readEntries(
  { store }: Pick<CollectPorts, 'store'>,
  threadId: string,
): Promise<readonly AuditEntry[]> {
  const latest = await readLatestEntries(store, { threadId, limit: MOST.entries });
  if (latest.length === MOST.entries) throw tooLong();
  return latest.toReversed();
}

async function readCalls({ gate }: CollectPorts, threadId: string): Promise<readonly CallRecord[]> {
  const found: CallRecord[] = [];
  const all = { ...EVERY_CALL, threadId };
  let cursor: string | null = null;
  do {
    const page = await gate.calls.search(all, PAGE, cursor);
    found.push(...page.items);
    if (found.length >= MOST.calls) throw tooLong();
    cursor = page.next;
  } while (cursor !== null);
  return oldestFirst(found);
}

async function readRequests({ gate }: CollectPorts, calls: readonly CallRecord[]) {
  const ids = new Set(calls.flatMap(({ requestId }) => requestId ?? []));
  const found = await Promise.all([...ids].map((id) => gate.requests.get(id)));
  return new Map(found.flatMap((request) => (request ? [[request.requestId, request] as const] : [])));
}

/** Each once, where several messages asked the same. */
async function readPrompts({ prompts }: CollectPorts, threadId: string) {
  const found = new Map<string, Prompt[]>();
  for (const { callId, headline, asked, warnings, isForOwner } of await prompts(threadId)) {
    const prompt = { callId, headline, asked, warnings, ...(isForOwner && { isForOwner }) };
    const before = found.get(callId) ?? [];
    if (!before.some((one) => isDeepStrictEqual(one, prompt))) found.set(callId, [...before, prompt]);
  }
  return found;
}

async function readFiles({ bytes }: CollectPorts, calls: readonly CallRecord[]) {
  const found = new Map<CallRecord, CallFile[]>();
  for (const { call, name, title, kept, fits } of nameFiles(calls)) {
    const content = fits ? ((await bytes(call.threadId, kept)) ?? 'gone') : 'left_out';
    const hash = Buffer.isBuffer(content) ? hashBytes(content) : '';
    found.set(call, [...(found.get(call) ?? []), { name, title, content, hash }]);
  }
  return found;
}

/** The files of calls by their names on the page; `fits`: those that aren't left out. */
function nameFiles(calls: readonly CallRecord[]) {
  const all = calls.flatMap((call, index) =>
    listFiles(call).map((file, part) => ({
      ...file,
      call,
      name: `call-${index + 1}-${part + 1}-${file.name}`,
    })),
  );
  const read = { count: 0, bytes: 0 };
  return all.map((file) => {
    const fits = read.count < MOST.files && read.bytes + file.kept.size <= MOST.bytes;
    if (fits) {
      read.count += 1;
      read.bytes += file.kept.size;
    }
    return { ...file, fits };
  });
}

/**
 * Reads one file by its name on the page of a conversation, and no other; null where there is none.
 * @throws AppError `notebook_too_long`
 */
export async function readFile(
  ports: CollectPorts,
  threadId: string,
  name: string,
): Promise<NotebookFile | null> {
  const found = nameFiles(await readCalls(ports, threadId)).find((file) => file.fits && file.name === name);
  const content = found ? await ports.bytes(threadId, found.kept) : null;
  return found && content ? { name, title: found.title, content } : null;
}

/** The files that there are. */
export function presentFiles({ files }: Pick<Conversation, 'files'>): readonly NotebookFile[] {
  return [...files.values()]
    .flat()
    .flatMap(({ name, title, content }) => (Buffer.isBuffer(content) ? [{ name, title, content }] : []));
}

/** SHA-256 of bytes, in hexadecimal digits. */
export function hashBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const TOO_LONG = 'notebook_too_long';

/** @throws AppError `notebook_too_long` */
export function checkLength(characters: number): void {
  if (characters > MOST.page) throw tooLong();
}

function tooLong(): AppError {
  return new AppError({ code: TOO_LONG, userMessage: REFUSED.tooLong });
}
