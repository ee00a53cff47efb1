import type { SendResult } from '../../tools/ports.ts';
import type { Connection } from '../connection/types.ts';
import { blockedAsOwn } from '../protocol/elicitation.ts';

/** The result with nothing secret in its failure, or in what a task says, which everybody in the thread reads. */
export function maskFailure(result: SendResult, mask: Connection['mask']): SendResult {
  if (result.kind === 'task') {
    const { message } = result.task;
    return { ...result, task: { ...result.task, message: message && mask(message) } };
  }
  if (result.kind !== 'ended' || result.outcome.status !== 'failed') return result;
  const { outcome } = result;
  const content = outcome.content.map((piece) =>
    piece.type === 'text' ? { ...piece, text: mask(piece.text) } : piece,
  );
  return { ...result, outcome: { ...outcome, message: mask(outcome.message), content } };
}

/** The result, marked as the person's own. What is in doubt has nothing of the server's in it. */
export function ofOwnAccount(result: SendResult): SendResult {
  if (result.kind === 'task') return { ...result, task: { ...result.task, ownAccount: true } };
  if (result.kind === 'blocked') return blockedAsOwn(result);
  if (result.kind !== 'ended' || result.outcome.status === 'in_doubt') return result;
  return { ...result, outcome: { ...result.outcome, ownAccount: true } };
}
