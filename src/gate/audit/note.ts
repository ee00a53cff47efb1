import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import type { Actor } from '../call/actor.ts';

/** The action of an entry. `sealed` occurs in the chain of seals only. */
export const auditActionSchema = z.enum([
  'asked',
  'allowed',
  'denied',
  'decided',
  'reason_given',
  'doubt_settled',
  'withdrawn',
  'superseded',
  'expired',
  'reminded',
  'extended',
  'reordered',
  'executing',
  'needs_person',
  'need_answered',
  'model_asked',
  'ended',
  'closed',
  'refused',
  'granted',
  'grant_used',
  'grant_ended',
  'delegated',
  'delegation_ended',
  'handed_over',
  'taken_back',
  'tools_reviewed',
  'key_made',
  'key_revoked',
  'connected',
  'disconnected',
  'program_left',
  'program_back',
  'taken',
  'let_go',
  'results_shared',
  'results_withheld',
  'limit_extended',
  'notebook_exported',
  'scheduled',
  'schedule_ended',
  'mailbox_on',
  'mailbox_off',
  'preference_changed',
  'looked',
  'sealed',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

/** An entry to append; the chain adds its index, time and hash. */
export interface AuditNote {
  readonly threadId: string;
  readonly what: AuditAction;
  readonly actor: Actor;
  readonly requestId?: string | null;
  readonly callId?: string | null;
  readonly digest?: string | null;
  /** No secrets, no arguments and no text by people: their digests bind them. */
  readonly details?: JsonObject;
  /** See `callPermission`; null or absent if nothing follows from the record. */
  readonly permission?: string | null;
}
