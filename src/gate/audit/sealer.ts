import { errorMessage } from '../../lib/errors.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import type { Ref } from '../../storage/store.ts';
import type { AuditEntry, AuditPorts } from './chain.ts';
import { sealChains } from './seal.ts';

/** How often grown chains are sealed, in milliseconds. Until then, their new entries could be cut unseen. */
const SEAL_MS = 60_000;

interface SealerPorts extends AuditPorts {
  /**
   * Writes a line per seal to a place that someone with write access to the store need not be able to write
   * to; null: nowhere.
   */
  readonly appendHead: ((line: string) => Promise<void>) | null;
  readonly log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Seals the audit periodically, and once more when stopped. Also logs each seal's head. */
export function createSealer({ appendHead, log, ...ports }: SealerPorts): Periodic {
  const sealing = createPeriodic({
    name: 'audit sealing',
    everyMs: SEAL_MS,
    async run() {
      for await (const seal of sealChains({ ...ports, onUnreadable: unreadable })) await note(seal);
    },
    log,
  });

  /** Logged each time: until somebody repairs it, what is added to that chain can be cut unseen. */
  function unreadable({ id }: Ref): void {
    log.error({ threadId: id }, 'audit chain not sealed: its head cannot be read; see docs/security.md');
  }

  async function note({ seq, at, hash }: AuditEntry): Promise<void> {
    log.info({ seq, hash }, 'audit sealed');
    const line = `${JSON.stringify({ seq, hash, at: new Date(at).toISOString() })}\n`;
    await appendHead?.(line).catch((error: unknown) =>
      log.error({ err: error, seq, hash }, `AUDIT_HEADS_FILE write failed: ${errorMessage(error)}`),
    );
  }

  return {
    ...sealing,
    async stop() {
      await sealing.stop();
      await sealing.runNow();
    },
  };
}
