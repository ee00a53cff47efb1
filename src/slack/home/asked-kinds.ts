import { z } from 'zod';
import type { CallRecord, CallState } from '../../gate/types.ts';
import { wasDeclined } from '../cards/state-line.ts';
import type { HISTORY } from '../texts/commands.ts';

const STATES: Readonly<Record<keyof typeof HISTORY.kinds, readonly CallState[]>> = {
  waiting: ['pending', 'blocked', 'allowed', 'approved', 'executing'],
  done: ['succeeded'],
  failed: ['failed', 'denied', 'in_doubt'],
  rejected: ['rejected', 'ignored'],
  withdrawn: ['cancelled', 'superseded'],
  expired: ['expired'],
};

export const askedKindSchema = z.enum(['waiting', 'done', 'failed', 'rejected', 'withdrawn', 'expired']);
/** What became of a call, as people ask for it. */
export type AskedKind = z.infer<typeof askedKindSchema>;

/**
 * Whether this is what became of a call. One that was declined in its middle may have done nothing, so it counts as
 * rejected.
 */
export function isOfKind(call: CallRecord, kind: AskedKind): boolean {
  return wasDeclined(call) ? kind === 'rejected' : STATES[kind].includes(call.state);
}
