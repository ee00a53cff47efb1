import { setTimeout as delay } from 'node:timers/promises';
import type { Table } from '@lancedb/lancedb';
import { z } from 'zod';
import { backoff } from '../../lib/backoff.ts';
import { AppError, errorMessage, StoreError } from '../../lib/errors.ts';
import { SHARED_DOCUMENTS_UNUSABLE } from '../texts.ts';
import { passageSchema } from './records.ts';

/** How often a change is tried that met another one, and how long it waits between, in milliseconds. */
const TRIES = 30;
const RETRY = { firstMs: 20, longestMs: 1_000, random: Math.random };

/** What is said of a change of another process, or of a table that it's just making. */
const MET = /conflict|preempted|already exists|retry|could not be loaded/i;

/** How many hashes, or keys, one question of a table names. */
const NAMED_AT_ONCE = 2_000;

/** Tries a change again that met one of another process, and rejects with a StoreError where that isn't it. */
export async function retrying<T>(change: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await change();
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (tried >= TRIES || !MET.test(errorMessage(error)))
        throw new StoreError(SHARED_DOCUMENTS_UNUSABLE, error);
      await delay(backoff(tried, RETRY));
    }
  }
}

/** Arrow's rows as plain ones. What doesn't fit is no index of ours. */
export async function readRows<T>(schema: z.ZodType<T>, ask: () => Promise<readonly object[]>): Promise<T> {
  return conform(
    schema,
    (await retrying(ask)).map((row) => ({ ...row })),
  );
}

/** @throws StoreError for what doesn't fit */
export function conform<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError(SHARED_DOCUMENTS_UNUSABLE, parsed.error);
}

/** A text of SQL. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteAll(texts: readonly string[]): string {
  return texts.map(quote).join(', ');
}

const passageRow = passageSchema.extend({ key: z.string(), documentId: z.string() });

/** Passages by their keys. */
export async function readPassages(passages: Table, keys: readonly string[]) {
  const found = await among(keys, (some) =>
    readRows(z.array(passageRow), () =>
      passages.query().where(`key IN (${some})`).select(Object.keys(passageRow.shape)).toArray(),
    ),
  );
  return new Map(found.map(({ key, ...passage }) => [key, passage]));
}

/** Asks for what is named, as a list of SQL, some at a time. */
export async function among<T>(
  names: readonly string[],
  ask: (some: string) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let at = 0; at < names.length; at += NAMED_AT_ONCE)
    found.push(...(await ask(quoteAll(names.slice(at, at + NAMED_AT_ONCE)))));
  return found;
}
