import { z } from 'zod';
import { keepReadable, type ScanPorts, withoutSchema } from '../../storage/scan.ts';
import { type Page, put, type Range, type Stored, unchanged } from '../../storage/store.ts';
import {
  type AuditEntry,
  type AuditHead,
  type AuditPorts,
  appendEntries,
  auditHeads,
  SEALS,
} from './chain.ts';
import { SYSTEM } from './notes.ts';

/** The details of a seal: the heads of other chains at that time. */
export const sealSchema = z.strictObject({
  heads: z.array(z.strictObject({ threadId: z.string(), seq: z.int(), hash: z.string() })),
});

/** Chains per seal; their names and hashes take some 20 kB. */
const AT_ONCE = 100;

/**
 * Seals every chain that has grown since its last seal, and yields each seal once it is committed. What a
 * seal names can't be changed or removed without breaking the chain of seals. And nobody can rewrite that
 * chain unseen by anyone who noted its head outside the store. A chain whose head can't be read is skipped,
 * so that it doesn't keep the others from being sealed.
 */
export async function* sealChains(ports: ScanPorts & AuditPorts): AsyncGenerator<AuditEntry> {
  for (let cursor: string | null = null; ; ) {
    const range: Range = cursor === null ? {} : { cursor };
    const page: Page<unknown> = await ports.store.query(
      withoutSchema(auditHeads),
      'unsealed',
      range,
      AT_ONCE,
    );
    const seal = await sealBatch(ports, keepReadable(ports, auditHeads, page.items));
    if (seal === 'another') continue;
    if (seal) yield seal;
    if (page.next === null) return;
    cursor = page.next;
  }
}

/**
 * The seal of these chains; null if there is nothing to seal, `another` if another process sealed meanwhile.
 */
async function sealBatch(
  ports: ScanPorts & AuditPorts,
  grown: readonly Stored<AuditHead>[],
): Promise<AuditEntry | 'another' | null> {
  let heads = grown;
  while (heads.length > 0) {
    const details = {
      heads: heads.map(({ value: { threadId, seq, hash } }) => ({ threadId, seq, hash })),
    };
    const chain = await appendEntries(ports, [{ threadId: SEALS, what: 'sealed', actor: SYSTEM, details }]);
    const [seal] = chain.last;
    if (!seal) return null;
    const result = await ports.store.commit({
      expect: [...chain.expect, ...heads.map((head) => unchanged(auditHeads, head))],
      put: [...chain.put, ...heads.map(({ id, value }) => put(auditHeads, id, withSeal(seal, value)))],
    });
    if (result.committed) return seal;
    const { id } = result.conflict;
    if (id === SEALS) return 'another';
    // This chain is growing right now; the next seal includes it.
    heads = heads.filter((head) => head.id !== id);
  }
  return null;
}

function withSeal(seal: AuditEntry, head: AuditHead): AuditHead {
  return { ...head, sealed: { seq: head.seq, seal: seal.seq } };
}
