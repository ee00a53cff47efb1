import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { EmulatorConfigError } from '../errors.ts';
import type { Change, Workspace } from './types.ts';

/** Changes within this time are written together, in milliseconds. */
const DEBOUNCE_MS = 300;
/** Changes that leave nothing behind. */
const NOT_KEPT: ReadonlySet<Change['type']> = new Set(['called', 'app', 'notices']);
const VERSION = 1;

const object = z.record(z.string(), z.json());
const message = z.object({
  channel: z.string(),
  ts: z.string(),
  threadTs: z.string().nullable(),
  user: z.string(),
  text: z.string(),
  blocks: z.array(object),
  byApp: z.boolean(),
  clientMsgId: z.string().nullable(),
  metadata: object.nullable(),
  edited: z.object({ user: z.string(), ts: z.string() }).nullable(),
  files: z.array(z.string()),
  reactions: z.array(z.object({ name: z.string(), users: z.array(z.string()) })),
  ephemeralFor: z.string().nullable(),
  subtype: z.string().nullable(),
});
const file = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  mimetype: z.string(),
  user: z.string(),
  created: z.number(),
  content: z.string(),
  size: z.number(),
  channels: z.array(z.string()),
  isDeleted: z.boolean().default(false),
  isSnippet: z.boolean().default(false),
});
const home = z.object({
  id: z.string(),
  user: z.string(),
  client: z.null().default(null),
  type: z.literal('home'),
  title: z.null(),
  submit: z.null(),
  close: z.null(),
  blocks: z.array(object),
  callbackId: z.string(),
  externalId: z.string(),
  privateMetadata: z.string(),
  hash: z.string(),
  clearOnClose: z.boolean(),
  notifyOnClose: z.boolean(),
  rootId: z.string(),
  previousId: z.null(),
  values: z.record(z.string(), z.record(z.string(), object)),
});
const snapshot = z.object({
  version: z.literal(VERSION),
  members: z.record(z.string(), z.array(z.string())),
  messages: z.array(message),
  files: z.array(file),
  homes: z.array(home),
  unread: z.record(z.string(), z.record(z.string(), z.number())),
  undelivered: z.array(object).default([]),
});

/** Fills the workspace with what an earlier run wrote; does nothing when there is no file. Throws EmulatorConfigError when it is no snapshot. */
export async function loadSnapshot(workspace: Workspace, path: string): Promise<void> {
  const text = await readIfThere(path);
  if (text === null) return;
  const data = parse(text, path);
  for (const [id, members] of Object.entries(data.members)) {
    const channel = workspace.channels.get(id);
    if (channel !== undefined) workspace.channels.set(id, { ...channel, members });
  }
  // A stream that was open when the process ended has ended with it.
  const messages = data.messages.map((it) => ({ ...it, stream: null }));
  for (const [channel, list] of Map.groupBy(messages, (it) => it.channel))
    workspace.messages.set(channel, list);
  for (const it of data.files) workspace.files.set(it.id, it);
  for (const it of data.homes) workspace.homes.set(it.user, it);
  for (const [user, counts] of Object.entries(data.unread))
    workspace.unread.set(user, new Map(Object.entries(counts)));
  for (const it of data.undelivered) workspace.undelivered.add(it);
}

interface SnapshotWriter {
  /**
   * Writes what is not written yet. Resolves when it is in the file, so that a kill takes none of it back, or when that
   * could not be written.
   */
  save(): Promise<void>;
  /** Writes what is not written yet and ends. Rejects when that could not be written. */
  stop(): Promise<void>;
}

/** Keeps the file up to date, each time as a whole: it is never seen half written. */
export function keepSnapshot(workspace: Workspace, path: string): SnapshotWriter {
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  /** A write is to begin once the one before it is done; it takes along what changes until then. */
  let isDue = false;
  let writing = Promise.resolve();
  let failure: unknown;
  const save = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (!dirty || isDue) return writing;
    isDue = true;
    writing = writing
      .then(() => {
        isDue = false;
        dirty = false;
        return replaceFile(path, serialize(workspace));
      })
      .then(
        () => {
          failure = undefined;
        },
        (error: unknown) => {
          // The next change writes everything again; only a failure of the last one is told, by stop().
          failure = error;
        },
      );
    return writing;
  };
  const unsubscribe = workspace.subscribe((change) => {
    if (NOT_KEPT.has(change.type)) return;
    dirty = true;
    timer ??= setTimeout(save, DEBOUNCE_MS);
  });
  return {
    save,
    stop: async () => {
      unsubscribe();
      await save();
      if (failure !== undefined) throw failure;
    },
  };
}

function serialize(workspace: Workspace): string {
  return JSON.stringify({
    version: VERSION,
    members: Object.fromEntries([...workspace.channels.values()].map((it) => [it.id, it.members])),
    messages: [...workspace.messages.values()].flat(),
    files: [...workspace.files.values()],
    homes: [...workspace.homes.values()],
    unread: Object.fromEntries(
      [...workspace.unread].map(([user, counts]) => [user, Object.fromEntries(counts)]),
    ),
    undelivered: [...workspace.undelivered],
  });
}

async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function parse(text: string, path: string): z.infer<typeof snapshot> {
  try {
    return snapshot.parse(JSON.parse(text));
  } catch (error) {
    throw new EmulatorConfigError(
      `${path} is not a snapshot of the local workspace, so nothing was started. Move it away to start afresh.`,
      error,
    );
  }
}
