import type { Redis } from 'ioredis';
import { z } from 'zod';
import { StoreError } from '../../lib/errors.ts';
import { checkChange } from '../driver-support.ts';
import type { Along, Change, CommitResult, Put, Store } from '../store.ts';
import { REDIS_FOREIGN } from '../texts.ts';
import type { ScriptCall } from './client.ts';
import { packJson } from './packed-json.ts';

/** Between the parts of an index's members; no encoded key has it, and it sorts below all that they have. */
export const BETWEEN = '\u0000';

/** What a script that commits is called with, and what its answer means. */
export interface CommitPart extends ScriptCall {
  readonly parse: (reply: unknown) => CommitResult;
}

interface Committer {
  readonly client: Redis;
  readonly toPart: (change: Change) => CommitPart;
}

const committers = new WeakMap<Store, Committer>();

/** `checkOpen` throws where the store is closed. */
export function createCommitter(client: Redis, prefix: string, checkOpen: () => void): Committer {
  return {
    client,
    toPart(change) {
      checkChange(change);
      checkOpen();
      return commitPart(prefix, change);
    },
  };
}

/** Notes that this store's commits may be parts of scripts that the same client sends. */
export function noteCommitter(store: Store, committer: Committer): Store {
  committers.set(store, committer);
  return store;
}

/**
 * A commit as a part of a script that the client sends; null where the store isn't its own, or somebody wraps it to see or
 * change what is committed. Throws what the commit would reject with.
 */
export function findPart(client: Redis, { store, change }: Along): CommitPart | null {
  const committer = committers.get(store);
  return committer?.client === client ? committer.toPart(change) : null;
}

export function collectionKeys(prefix: string, collection: string) {
  return {
    rows: `${prefix}rows:${collection}`,
    index: `${prefix}index:${collection}`,
  };
}

/** A change as {@link COMMIT} takes it, alone or with what a larger script does before. */
function commitPart(prefix: string, change: Change): CommitPart {
  const { expect = [], put = [], delete: deletions = [] } = change;
  const collections = [...new Set([...expect, ...put, ...deletions].map(({ collection }) => collection))];
  const numbers = new Map(collections.map((collection, place) => [collection, place + 1]));
  const findNumber = ({ collection }: { readonly collection: string }) => numbers.get(collection) ?? 0;
  const keys = collections.map((collection) => collectionKeys(prefix, collection));
  return {
    keys: [`${prefix}commits`, ...keys.flatMap(({ rows, index }) => [rows, index])],
    args: [
      expect.length,
      ...expect.flatMap((expected) => [findNumber(expected), expected.id, expected.version ?? '']),
      deletions.length,
      put.length,
      ...deletions.flatMap((ref) => [findNumber(ref), ref.id]),
      ...put.flatMap((record) => [findNumber(record), record.id, packJson(record.json), indexPlaces(record)]),
    ],
    parse: (reply) => parseCommitReply(reply, change),
  };
}

/** The record's places in the index, as COMMIT takes them: a member each, without the id. */
function indexPlaces({ keys }: Put): string {
  return Object.entries(keys).flat().join(BETWEEN);
}

const commitReplySchema = z.tuple([z.literal([0, 1]), z.string().regex(/^\d+$/)]);

function parseCommitReply(reply: unknown, { expect = [] }: Change): CommitResult {
  const answer = commitReplySchema.safeParse(reply);
  if (!answer.success) throw unexpectedReply({ outcomeUnknown: true });
  const [committed, number] = answer.data;
  if (committed === 1) return { committed: true, version: Number(number) };
  const broken = expect[Number(number) - 1];
  if (broken === undefined) throw unexpectedReply();
  return { committed: false, conflict: { collection: broken.collection, id: broken.id } };
}

export function unexpectedReply(outcome?: { readonly outcomeUnknown: boolean }): StoreError {
  return new StoreError(REDIS_FOREIGN, undefined, outcome);
}
