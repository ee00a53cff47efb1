import type { WebClient } from '@slack/web-api';
import type { CallRecord, Kept } from '../../gate/types.ts';
import { FencedError } from '../../lib/errors.ts';
import { type AnsweredFile, listFiles } from '../../presentation/result.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { put, type Store } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { requestUpload, upload } from '../client/upload.ts';
import { type OutboxRow, posted } from './collections.ts';
import { findRoot } from './slack-messages.ts';

export interface FilePorts {
  readonly store: Store;
  readonly client: WebClient;
  readonly call: (callKey: string) => Promise<CallRecord | null>;
  /** The full bytes of kept tool output; null when it isn't kept any more. */
  readonly bytes: (threadId: string, kept: Kept) => Promise<Buffer | null>;
  readonly log: { warn(details: object, message: string): void };
}

interface Turn {
  readonly fence: Fence;
  /** Resolves when the rate limit allows another post. */
  readonly turn: () => Promise<unknown>;
}

/**
 * Posts the files from calls' results into their threads, once each. The id that Slack gives a file before it
 * is shared is recorded first, so that a file is found again when the answer to sharing it was lost.
 */
export function createFiles({ store, client, call, bytes, log }: FilePorts) {
  async function share(row: OutboxRow, key: string, file: AnsweredFile, turn: Turn): Promise<void> {
    const known = (await store.get(posted, key))?.value;
    if (known && (known.ts !== null || (await isShared(row, known.hash)))) {
      return void (await store.commit({ put: [postedRow(row, key, known.hash, known.hash)] }));
    }
    const content = await bytes(row.threadId, file.kept);
    if (content === null || content.length === 0) return;
    await turn.turn();
    const root = await findRoot(store, row);
    const { id, url } = await requestUpload(client, { name: file.name, content });
    const noted = await store.commit({
      expect: [turn.fence.expectation],
      put: [postedRow(row, key, null, id)],
    });
    if (!noted.committed) throw new FencedError();
    await upload(url, content);
    await client.files.completeUploadExternal({
      files: [{ id, title: file.title }],
      ...(root === null ? { channel_id: row.channel } : { channel_id: root.channel, thread_ts: root.ts }),
    });
    await store.commit({ put: [postedRow(row, key, id, id)] });
  }

  /** Whether the file is already in the thread: it may have been shared although the answer was lost. */
  async function isShared(row: OutboxRow, fileId: string): Promise<boolean> {
    const root = await findRoot(store, row);
    if (root === null) return false;
    let cursor: string | undefined;
    do {
      const page = await client.conversations.replies({
        ...root,
        limit: 200,
        ...(cursor ? { cursor } : {}),
      });
      if (page.messages?.some(({ files }) => files?.some(({ id }) => id === fileId))) return true;
      cursor = page.response_metadata?.next_cursor;
    } while (cursor);
    return false;
  }

  /** Files already tried come last, so that one that keeps failing doesn't hold up the others. */
  async function inTurn(rowId: string, files: readonly AnsweredFile[]) {
    const keyed = await Promise.all(
      files.map(async (file, index) => {
        const key = `${rowId}:${index}`;
        return { key, file, isTried: (await store.get(posted, key)) !== null };
      }),
    );
    return keyed.sort((a, b) => Number(a.isTried) - Number(b.isTried));
  }

  return {
    /**
     * Posts the files of the row's call that aren't posted yet. Throws a refused file's error after posting
     * all others; throws errors worth a retry at once.
     */
    async show(row: OutboxRow, rowId: string, callKey: string, turn: Turn): Promise<void> {
      const record = await call(callKey);
      if (!record) return;
      const refusals: unknown[] = [];
      for (const { key, file } of await inTurn(rowId, listFiles(record))) {
        try {
          await share(row, key, file, turn);
        } catch (error) {
          const failure = classifyFailure(error);
          // An app installed before we requested the files scope: the thread's other messages mustn't wait
          // for that.
          if (failure.name === 'missing_scope') {
            return log.warn({ callKey }, 'file not posted: the Slack app lacks the scope files:write');
          }
          if ('waitMs' in failure) throw error;
          refusals.push(error);
        }
      }
      if (refusals.length > 0) throw refusals[0];
    },
  };
}
export type Files = ReturnType<typeof createFiles>;

function postedRow({ channel, threadId, show }: OutboxRow, key: string, ts: string | null, fileId: string) {
  return put(posted, key, { channel, threadId, ts, hash: fileId, show });
}
