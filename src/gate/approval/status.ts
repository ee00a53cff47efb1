import { approverInstructions, type Claim } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import type { ApprovalTerms } from '../policy/approver-rules.ts';
import { requesterLabel } from './approver-names.ts';
import { currentClaim, isUnclaimed } from './claim-state.ts';
import { extensionsLeft } from './deadline.ts';
import type { PersonIdentity } from './people.ts';
import { approvalTally, approvalTerms, type Tally } from './tally.ts';
import { type Confirmation, requiredConfirmations } from './typed-confirmation.ts';

/** What people are shown of a call's approval: who must approve, who did, and what it takes. */
export interface ApprovalStatus extends Tally {
  readonly terms: ApprovalTerms;
  /** The requester's name, or the name of whoever decides on their behalf. */
  readonly requesterLabel: string;
  readonly claim: Claim | null;
  /** Whether the call can be claimed and nobody has. */
  readonly isUnclaimed: boolean;
  /** The instructions that came with approvals so far. */
  readonly instructions: ReturnType<typeof approverInstructions>;
  /** The values that an approver must type; empty where a click is enough. */
  readonly confirmations: readonly Confirmation[];
  /** How often the deadline can still be extended; 0 where there is none. */
  readonly extensionsLeft: number;
}

/** The approval status of a call, for surfaces. */
export function approvalStatus(identity: PersonIdentity, call: CallRecord): ApprovalStatus {
  return {
    ...approvalTally(call),
    terms: approvalTerms(call),
    requesterLabel: requesterLabel(call),
    claim: currentClaim(identity, call),
    isUnclaimed: isUnclaimed(identity, call),
    instructions: approverInstructions(call),
    confirmations: requiredConfirmations(call),
    extensionsLeft: extensionsLeft(call),
  };
}
