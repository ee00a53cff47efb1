import { z } from 'zod';
import { type ApprovalTerms, approvalTermsSchema, REQUESTER_ALONE } from '../policy/approver-rules.ts';
import type { AuditEntry } from './chain.ts';

/** Actions that say something about a call without changing it. */
const REMARKS: ReadonlySet<string> = new Set([
  'refused',
  'model_asked',
  'granted',
  'grant_used',
  'grant_ended',
]);
/** Actions after which a call has ended, unless the entry says what the record then permits. */
const ENDINGS: ReadonlySet<string> = new Set([
  'ended',
  'denied',
  'decided',
  'doubt_settled',
  'withdrawn',
  'superseded',
  'expired',
]);

/** Whether the entry is about a change of its call. */
export function changesCall({ what, callId }: AuditEntry): boolean {
  return callId !== null && !REMARKS.has(what);
}

/** Whether the call has ended with this entry. */
export function endsCall(entry: AuditEntry): boolean {
  return ENDINGS.has(entry.what) && (entry.permission ?? null) === null;
}

const detailsSchema = z.object({
  /** Absent: the requester's approval alone. */
  approval: approvalTermsSchema.optional(),
  /** Earlier approvals that still count, by the ids of their actors. */
  standing: z.array(z.string()).default([]),
  /** The step that this decision approves; absent where it approves none. */
  step: z.int().optional(),
  grant: z.string().optional(),
  /** The call's, after the entry. */
  state: z.string().optional(),
});

function readDetails(entry: AuditEntry) {
  return detailsSchema.safeParse(entry.details).data ?? null;
}

/** The grant that a call runs on; null for any other entry. */
export function grantOfEntry(entry: AuditEntry): string | null {
  return readDetails(entry)?.grant ?? null;
}

/**
 * Whether what the record permits can be followed from this entry on: people are asked, and no earlier approval
 * counts, or a grant lets the call run.
 */
export function beginsPermission(entry: AuditEntry): boolean {
  if ((entry.permission ?? null) === null) return false;
  const details = readDetails(entry);
  if (entry.what === 'asked') return details?.standing.length === 0;
  const mayRun = entry.what === 'executing' || entry.what === 'allowed';
  return mayRun && details?.grant !== undefined;
}

interface Approval {
  readonly actor: string;
  readonly step: number;
  readonly digest: string | null;
}

/** The approvals of a call that its entries prove, and those that it needs. */
export interface ProvenApprovals {
  /** Null until people are asked. */
  readonly terms: ApprovalTerms | null;
  readonly approvals: readonly Approval[];
}

const NONE: ProvenApprovals = { terms: null, approvals: [] };

/** Adds up a call's entries, in order. An entry can take earlier approvals away, and add one: its actor's. */
export function foldApprovals(entries: readonly AuditEntry[]): ProvenApprovals {
  return entries.reduce(addEntry, NONE);
}

/** One step of {@link foldApprovals}. */
export function addEntry(before: ProvenApprovals, entry: AuditEntry): ProvenApprovals {
  if (entry.what === 'doubt_settled') return { ...before, approvals: [] };
  if (entry.what !== 'asked' && entry.what !== 'decided') return before;
  const details = readDetails(entry);
  if (!details) return NONE;
  // People are asked for a sign-in, say, and not for an approval.
  if (entry.what === 'asked' && details.state !== 'pending') return before;
  const { approval: terms = REQUESTER_ALONE, standing, step } = details;
  const kept = before.approvals.filter(({ actor }) => standing.includes(actor));
  const own = { actor: entry.actor.id, step: step ?? 0, digest: entry.digest };
  const isApproval = entry.what === 'decided' && step !== undefined;
  return { terms, approvals: isApproval ? [...kept, own] : kept };
}

/** Whether different people gave every approval that is needed, each to the call with this digest. */
export function isApproved({ terms, approvals }: ProvenApprovals, digest: string | null): boolean {
  if (terms === null || approvals.some((approval) => approval.digest !== digest)) return false;
  if (new Set(approvals.map(({ actor }) => actor)).size < approvals.length) return false;
  return terms.steps.every(
    ({ quorum }, index) => approvals.filter(({ step }) => step === index).length >= quorum,
  );
}
