import { z } from 'zod';
import type { CallState } from '../../gate/types.ts';
import type { HISTORY } from '../texts/commands.ts';

/** What became of a call, as people ask for it. */
export const ASKED_STATES: Readonly<Record<keyof typeof HISTORY.kinds, readonly CallState[]>> = {
  waiting: ['pending', 'blocked', 'allowed', 'approved', 'executing'],
  done: ['succeeded'],
  failed: ['failed', 'denied', 'in_doubt'],
  rejected: ['rejected', 'ignored'],
  withdrawn: ['cancelled', 'superseded'],
  expired: ['expired'],
};

export const askedKindSchema = z.enum(['waiting', 'done', 'failed', 'rejected', 'withdrawn', 'expired']);
export type AskedKind = z.infer<typeof askedKindSchema>;
