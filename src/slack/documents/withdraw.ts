import type { Knowledge } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, isFound, isOpen } from './collections.ts';

interface WithdrawPorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly open: () => Promise<Pick<Knowledge, 'forgetById' | 'get'>>;
}

/** Deletes a document with all that was learned of it, and says so at all files that it is of. */
export async function forgetDocument({ files, open }: WithdrawPorts, documentId: string): Promise<void> {
  await (await open()).forgetById(documentId);
  for (const file of await files.findBy('byDocument', documentId)) {
    await files.change(file, (it) => (isFound(it) || isOpen(it) ? toForgotten(it) : null));
  }
}

/**
 * Forgets files that are no longer in Slack. A document goes with the last file that has its content; while there is another
 * one, it is learned as that.
 */
export async function withdraw(ports: WithdrawPorts, gone: readonly Brought[]): Promise<void> {
  const { files, clock } = ports;
  for (const file of gone) {
    if (file.state === 'replaced') continue;
    // What Slack tells again may have been interrupted before.
    const now = file.state === 'forgotten' ? file : await files.change(file, toForgotten);
    if (!now || !(await isOfDocument(ports, { ...now, state: file.state }))) continue;
    const others = await files.findBy('byDocument', now.documentId);
    const copy = others.find((it) => it.hash === now.hash && isFound(it));
    if (!copy) await (await ports.open()).forgetById(now.documentId);
    else await files.change(copy, (it) => ({ ...it, state: 'giving', dueAt: clock() }));
  }
}

/** Whether what is known of a document may be of this file: one that wasn't learned, or was forgotten before, has only its name. */
async function isOfDocument({ open }: WithdrawPorts, { documentId, hash, state }: Brought): Promise<boolean> {
  if (hash === null) return false;
  if (state !== 'unread' && state !== 'forgotten') return true;
  const known = await (await open()).get(documentId);
  return known === null ? state === 'unread' : known.hash === hash;
}

function toForgotten(file: Brought): Brought {
  return { ...file, state: 'forgotten' };
}
