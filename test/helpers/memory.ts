import { randomUUID } from 'node:crypto';
import { Memory } from '../../src/memory/index.ts';
import type { AskModel, Said } from '../../src/memory/ports.ts';
import type { Store } from '../../src/storage/store.ts';
import { quiet } from './workspace.ts';

/** What is remembered of people, in this store. */
export function createTestMemory(
  store: Store,
  options: Partial<ConstructorParameters<typeof Memory>[0]> = {},
): Memory {
  const never = new AbortController().signal;
  return new Memory({
    ...{ store, clock: Date.now, ids: randomUUID, log: quiet, stopping: never, isEnabled: true },
    ...options,
  });
}

/** Something that a model finds in what somebody wrote. */
interface Found {
  readonly kind?: 'critical_fact' | 'preference';
  readonly key: string;
  readonly text: string;
  readonly evidence: string;
}

/** A model that always finds this. */
export function finds(...items: readonly Found[]): AskModel {
  return async () => JSON.stringify({ items: items.map((item) => ({ kind: 'critical_fact', ...item })) });
}

/** A message of Ana's in her direct messages, received now. */
export function said(text: string, more: Partial<Said> = {}): Said {
  const messageId = randomUUID();
  return {
    ...{ personId: 'slack:T1:U1', threadId: 'slack:T1:D1:1.0', place: null, messageId, at: Date.now(), text },
    ...more,
  };
}
