import { appendFile } from 'node:fs/promises';
import { sealChains } from '../gate/index.ts';
import type { AuditEntry } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Ref, Store } from '../storage/store.ts';

/** How often chains that have grown are sealed, in milliseconds: what is not sealed yet can be cut unseen. */
const SEAL_MS = 60_000;

export interface SealingPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** A file that a line for each seal is appended to; null for none. */
  readonly headsFile: string | null;
  readonly log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/**
 * Seals the audit every so often, and notes the head of the seals where who can write the store need not be
 * able to write: in the log, and in a file.
 */
export function createSealing({ store, clock, headsFile, log }: SealingPorts) {
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  /** One at a time. Never rejects: what is not sealed now is sealed the next time. */
  function sweep(): Promise<void> {
    last = last.then(async () => {
      try {
        for await (const seal of sealChains({ store, clock, onUnreadable: unreadable })) await note(seal);
      } catch (error) {
        log.error({ err: error }, `the audit was not sealed: ${messageOf(error)}`);
      }
    });
    return last;
  }

  /** Each time, because what is added to that chain can be cut unseen as long as nobody sees to it. */
  function unreadable({ id }: Ref): void {
    log.error(
      { threadId: id },
      'a chain of the audit was not sealed: the record of where it ends cannot be read; see docs/security.md',
    );
  }

  async function note({ seq, at, hash }: AuditEntry): Promise<void> {
    log.info({ seq, hash }, 'the audit was sealed');
    if (headsFile === null) return;
    const line = `${JSON.stringify({ seq, hash, at: new Date(at).toISOString() })}\n`;
    await appendFile(headsFile, line).catch((error: unknown) =>
      log.error({ err: error, seq, hash }, `a seal was not noted in AUDIT_HEADS_FILE: ${messageOf(error)}`),
    );
  }

  return {
    start(): void {
      timer = setInterval(sweep, SEAL_MS).unref();
    },
    sweep,
    /** Seals once more, so that what a process leaves behind is sealed. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await sweep();
    },
  };
}
