import type { Knowledge } from '../../knowledge/index.ts';
import { backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, broughtId, isFound, isGiven, isOpen } from './collections.ts';

/** The pauses between attempts to delete what can't be reached, in milliseconds. */
const PAUSES = { firstMs: 5_000, longestMs: 5 * 60_000 };

interface WithdrawPorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly open: () => Promise<Pick<Knowledge, 'forgetById'>>;
}

/**
 * Puts on record, all at once, that these are to be forgotten: whatever interrupts that, it's gone on with. Resolves with those for
 * which there's something to do.
 */
export function beginForgetting(
  { files, clock }: Pick<WithdrawPorts, 'files' | 'clock'>,
  gone: readonly Brought[],
): Promise<readonly Brought[]> {
  return files.changeAll(gone, (it) => {
    // Nothing of it is there: it has never been, or what it was has been replaced.
    if (!isOpen(it) && !isFound(it) && it.state !== 'unread') return null;
    // Whoever gives it now may do so after this: it's looked at again when that has ended.
    return { ...it, state: 'forgetting', attempts: 0, dueAt: it.state === 'giving' ? it.dueAt : clock() };
  });
}

/** Deletes what was learned of a file that is to be forgotten. What can't be deleted now is due again. */
export async function forgetFile(ports: WithdrawPorts, file: Brought): Promise<void> {
  const { files, clock } = ports;
  try {
    await letGo(ports, file);
  } catch (error) {
    await files.change(file, (it) => {
      if (it.state !== 'forgetting') return null;
      const attempts = it.attempts + 1;
      return { ...it, attempts, dueAt: Math.max(it.dueAt, clock() + backoff(attempts, PAUSES)) };
    });
    throw error;
  }
  await files.change(file, (it) =>
    it.state === 'forgetting' && it.dueAt <= clock() ? { ...it, state: 'forgotten' } : null,
  );
}

/**
 * Deletes what has the content of a file that is no longer there, unless another file has it, too: then it's learned as that, so that
 * its link leads somewhere. What a newer file of the same name gave stays.
 */
export async function letGo({ files, clock, open }: WithdrawPorts, file: Brought): Promise<void> {
  const { documentId, hash } = file;
  if (hash === null) return;
  const has = (it: Brought) => it.hash === hash && (isFound(it) || isGiven(it));
  async function passOn(): Promise<boolean> {
    const others = await files.findBy('byDocument', documentId);
    const heir = others.findLast((it) => broughtId(it) !== broughtId(file) && has(it));
    const given =
      heir &&
      files.change(heir, (it) => (has(it) ? { ...it, state: 'giving', attempts: 0, dueAt: clock() } : null));
    return Boolean(await given);
  }
  if (await passOn()) return;
  await (await open()).forgetById(documentId, hash);
  // One that was found to have the same, while that was deleted.
  await passOn();
}
