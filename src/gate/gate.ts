import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { Actor } from './call/actor.ts';
import type { DecisionInput, DoubtAnswer } from './call/decision.ts';
import type { CallInput, Need } from './call/need.ts';
import type { Outcome } from './call/outcome.ts';
import type { Progress } from './call/progress.ts';
import { immediateRefusal, type Proposer } from './call/propose.ts';
import type { CallRecord, ProposedCall, ToolSnapshot } from './call/record.ts';
import { RefusalError } from './call/refusal.ts';
import type { SignInAccount } from './call/server-input.ts';
import { createCallQueries } from './call-queries.ts';
import { checkDecidable, type DecideOptions, decide, mayApprove } from './decisions/decide.ts';
import { decideEach } from './decisions/decide-each.ts';
import { giveReason } from './decisions/give-reason.ts';
import { withDefaults } from './defaults.ts';
import { claim, unclaim } from './delegation/claim.ts';
import {
  activeDelegates,
  type DelegationTerms,
  delegate,
  delegationsFrom,
  delegationsTo,
  endDelegation,
} from './delegation/delegations.ts';
import { reassign, undoReassign } from './delegation/reassign.ts';
import { answerElicitation, checkAnswerable, type GivenAnswer, retryBlocked } from './elicitation/answer.ts';
import { createPageCompletions, type PageCompleted } from './elicitation/page-completed.ts';
import {
  block,
  closeElicitation,
  type ElicitationClosing,
  recordSampling,
  requestForm,
} from './elicitation/request.ts';
import { type HasSignedIn, resumeAfterSignIn } from './elicitation/signed-in.ts';
import { abandon } from './execution/abandon.ts';
import { mayRetry, noteJob, noteProgress } from './execution/attempts.ts';
import { type BeginInput, begin, finish } from './execution/journal.ts';
import { reportOutcome } from './execution/report.ts';
import { retryAttempt } from './execution/retry.ts';
import { reapprove } from './execution/tool-changed.ts';
import { effectiveGrantLimits, planApprovals } from './grants/apply.ts';
import {
  approveWithGrant,
  findGrantableCall,
  type GrantTerms,
  listGrants,
  revokeGrant,
} from './grants/issue.ts';
import { listUnusedGrants } from './grants/unused.ts';
import type { GateOptions, GatePorts } from './ports.ts';
import { createRefusalLog, type RefusalLog } from './refusal-log.ts';
import { createRequests } from './request-operations.ts';
import { expireOne } from './requests/expire.ts';
import { migrateCalls } from './store/migrate.ts';
import { beginWithPrompt, findSession, noteGiven } from './store/session-risk.ts';

/** The gate: policy, requests, decisions and journal over one store. No tool call runs without it. */
export function createGate(options: GateOptions) {
  const ports = withDefaults(options);
  const refusals = createRefusalLog(ports);
  return {
    policy: {
      evaluate: ports.evaluate,
      /** See {@link planApprovals}. */
      planApprovals: (from: Proposer) => planApprovals(ports, from),
      /** See {@link immediateRefusal}. */
      refusal: (from: Proposer, call: ProposedCall) => immediateRefusal(ports, from, call),
    },
    decisions: createDecisions(ports, refusals),
    requests: createRequests(ports, refusals),
    grants: createGrants(ports, refusals),
    delegation: createDelegation(ports, refusals),
    journal: createJournal(ports, refusals),
    elicitation: createElicitation(ports, refusals),
    audit: {
      /**
       * Runs an attempt, and records in the audit a refusal from outside the gate, such as a stop by somebody
       * else or an unknown button. The gate records its own refusals; other errors aren't recorded.
       */
      watch: refusals.watch,
      /** Records a refusal at hand, as `watch` does. Never rejects. */
      recordRefusal: refusals.record,
    },
    calls: {
      ...createCallQueries(ports),
      /**
       * Waits for a change of a call's record. Resolves when the record may have changed, when the signal is
       * aborted, and now and then by itself, because another process may have changed it. Never rejects.
       */
      waitForChange: ports.callChanges.wait,
    },
    risk: {
      /** Whether what sessions read and write is recorded. */
      isRecorded: ports.risk !== null,
      /** What the session of a call has read and written; null where nothing is known of it. */
      session: (origin: Pick<Proposer, 'threadId' | 'program'>) => findSession(ports, origin),
      /** See {@link beginWithPrompt}. */
      beginWithPrompt: (prompt: Parameters<typeof beginWithPrompt>[1]) => beginWithPrompt(ports, prompt),
      /** Whether the operator lets this agent call the tool at all. */
      isEnabled: (tool: { readonly server: string; readonly name: string }, agent: string): boolean =>
        ports.risk?.findToolRisk(tool, agent).isEnabled ?? true,
      /** See {@link noteGiven}. */
      noteGiven: (call: CallRecord, session: string) => noteGiven(ports, call, session),
    },
    /** See {@link migrateCalls}. */
    migrate: () => migrateCalls(ports),
  };
}
export type Gate = ReturnType<typeof createGate>;

function createDecisions(ports: GatePorts, refusals: RefusalLog) {
  /** Every decision passes here, so that a refused one is in the audit. */
  function decideWatched(inputs: readonly DecisionInput[], actor: Actor, options: DecideOptions = {}) {
    const attempt = [...new Set(inputs.map(({ type }) => type))].join(', ');
    const [only] = inputs.length === 1 ? inputs : [];
    const ids = inputs.map((input) => input.callKey);
    return refusals
      .watch({ actor, attempt, ids, digest: only?.digest ?? null }, () =>
        decide(ports, inputs, actor, options),
      )
      .catch((error) => endIfLate(ports, error));
  }

  return {
    /** See {@link decide}; `also` adds writes to the same commit. */
    decide: (inputs: readonly DecisionInput[], actor: Actor, options: Pick<DecideOptions, 'also'> = {}) =>
      decideWatched(inputs, actor, options),
    /** Like `decideEach`, by somebody whose sign-in on the web page was just verified; for that page alone. */
    decideOnWeb: (inputs: readonly DecisionInput[], actor: Actor) =>
      decideEach(inputs, (rest) => decideWatched(rest, actor, { via: 'web' })),
    /** See {@link decideEach}. */
    decideEach: (inputs: readonly DecisionInput[], actor: Actor, options?: { readonly tellsAll: boolean }) =>
      decideEach(inputs, (rest) => decideWatched(rest, actor), options),
    checkDecidable: (key: string, actor: Actor, { digest, place }: Shown) =>
      refusals
        .watch({ actor, attempt: 'open a form', ids: [key], digest }, () =>
          checkDecidable(ports, key, actor, { digest, place }),
        )
        .catch((error) => endIfLate(ports, error)),
    mayApprove: (key: string, actor: Actor, shown: { readonly digest: string }) =>
      mayApprove(ports, key, actor, shown),
    /** Settles a call in doubt; claimed like a decision. */
    settleDoubt: (key: string, actor: Actor, { digest, answer }: Shown & { readonly answer: DoubtAnswer }) =>
      decideWatched([{ callKey: key, digest, type: answer }], actor),
    /** See {@link giveReason}. */
    giveReason: (key: string, actor: Actor, reason: string | null) =>
      refusals.watch({ actor, attempt: 'say why', ids: [key] }, () => giveReason(ports, key, actor, reason)),
    /** Withdraws this one call, as it was displayed; its siblings stay. Claimed like a decision. */
    withdraw: (key: string, actor: Actor, { digest }: Shown) =>
      decideWatched([{ callKey: key, digest, type: 'withdraw' }], actor),
  };
}

/**
 * Whoever refuses a decision, or a form for one, because it's late ends the call, too: the sweeps go by the clocks of others, and a card that
 * still asks would be clicked in vain until theirs say the same. Rejects with the error.
 */
async function endIfLate(ports: GatePorts, error: unknown): Promise<never> {
  const late = error instanceof RefusalError && error.refusal === 'expired' ? error.call : null;
  // What fails here is done by the next sweep.
  if (late?.requestId) await expireOne(ports, late.requestId).catch(() => []);
  throw error;
}

function createGrants(ports: GatePorts, refusals: RefusalLog) {
  return {
    limits: effectiveGrantLimits(ports),
    /** This person's grants, the next to expire first. An ended one stays listed for a day. */
    list: (actorId: string) => listGrants(ports, actorId),
    /** Anybody's grants that hold though nobody has used them for 60 days. */
    unused: () => listUnusedGrants(ports, ports.clock()),
    /** Approves the call as it was displayed, and issues a grant for similar calls. */
    approveAndIssue: (
      key: string,
      actor: Actor,
      shown: Pick<DecisionInput, 'digest' | 'place'> & { readonly terms: GrantTerms },
    ) =>
      refusals.watch({ actor, attempt: 'remember', ids: [key], digest: shown.digest }, () =>
        approveWithGrant(ports, key, actor, shown),
      ),
    /** Whether this person could issue a grant with the call; changes nothing. */
    checkIssuable: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'open a form', ids: [key] }, () =>
        findGrantableCall(ports, key, actor),
      ),
    revoke: (grantId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'revoke', ids: [grantId] }, () => revokeGrant(ports, grantId, actor)),
  };
}

function createDelegation(ports: GatePorts, refusals: RefusalLog) {
  return {
    /** See {@link delegate}. */
    delegate: (terms: DelegationTerms, from: Actor) =>
      refusals.watch({ actor: from, attempt: 'delegate', ids: [terms.to.id] }, () =>
        delegate(ports, terms, from),
      ),
    end: (delegationId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'end a delegation', ids: [delegationId] }, () =>
        endDelegation(ports, delegationId, actor),
      ),
    /** The delegations that this person has made, current and future. */
    from: (actorId: string) => delegationsFrom(ports, actorId),
    /** Who decides on this person's behalf now. */
    activeDelegates: (actorId: string) => activeDelegates(ports, actorId),
    /** The delegations that name this person, current and future. */
    to: (actorId: string) => delegationsTo(ports, actorId),
    /** See {@link reassign}. */
    reassign: (key: string, from: Actor, { to, digest }: Shown & { readonly to: Actor }) =>
      refusals.watch({ actor: from, attempt: 'hand over', ids: [key, to.id], digest }, () =>
        reassign(ports, key, from, { to, digest }),
      ),
    undoReassign: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'take back', ids: [key] }, () => undoReassign(ports, key, actor)),
    /**
     * See {@link claim}.
     * @default over false
     */
    claim: (key: string, actor: Actor, { over = false }: { readonly over?: boolean } = {}) =>
      refusals.watch({ actor, attempt: over ? 'take over' : 'take', ids: [key] }, () =>
        claim(ports, key, actor, { over }),
      ),
    unclaim: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'let go', ids: [key] }, () => unclaim(ports, key, actor)),
  };
}

function createJournal(ports: GatePorts, refusals: RefusalLog) {
  return {
    begin: (input: BeginInput) => begin(ports, input),
    finish: (attempt: CallRecord, outcome: Outcome) => finish(ports, attempt, outcome),
    /** See {@link noteJob}. */
    noteJob: (attempt: CallRecord, job: Parameters<typeof noteJob>[2]) => noteJob(ports, attempt, job),
    /** See {@link noteProgress}. */
    noteProgress: (key: string, progress: Progress, fence: Fence) =>
      noteProgress(ports, key, progress, fence),
    /** Whether the call may be sent again: a hint; `retry` decides. */
    mayRetry: (attempt: CallRecord) => mayRetry(ports, attempt),
    /**
     * See {@link retryAttempt}.
     * @default isUnclear true
     */
    retry: (attempt: CallRecord, options: { readonly fence: Fence; readonly isUnclear?: boolean }) =>
      retryAttempt(ports, attempt, options),
    /** See {@link reportOutcome}. */
    report: (key: string, actor: Actor, outcome: Outcome) =>
      refusals.watch({ actor, attempt: 'report', ids: [key] }, () =>
        reportOutcome(ports, key, actor, outcome),
      ),
    reapprove: (attempt: CallRecord, tool: ToolSnapshot) => reapprove(ports, attempt, tool),
    /** See {@link abandon}. */
    abandon: (threadId: string, options: { readonly actor: Actor; readonly fence: Fence }) =>
      abandon(ports, threadId, options),
    recordSampling: (attempt: CallRecord, rule: string, asked: JsonObject) =>
      recordSampling(ports, attempt, rule, asked),
  };
}

function createElicitation(ports: GatePorts, refusals: RefusalLog) {
  const pageCompletions = createPageCompletions(ports);
  return {
    /** See {@link block}. If the page is already completed, the call resumes at once. */
    async block(attempt: CallRecord, need: Need, input?: CallInput): Promise<CallRecord> {
      const blocked = await block(ports, attempt, need, input);
      await pageCompletions.resumeIfCompleted(blocked);
      return blocked;
    },
    /** See {@link requestForm}. If its page is already completed, the call goes on at once. */
    async requestForm(attempt: CallRecord, need: Need): Promise<CallRecord> {
      const asked = await requestForm(ports, attempt, need);
      await pageCompletions.resumeIfCompleted(asked);
      return asked;
    },
    /** See {@link closeElicitation}. */
    close: (attempt: CallRecord, closing: ElicitationClosing) => closeElicitation(ports, attempt, closing),
    /** See {@link answerElicitation}. */
    answer: (key: string, actor: Actor, given: GivenAnswer) =>
      refusals.watch({ actor, attempt: `form ${given.answer.action}`, ids: [key] }, () =>
        answerElicitation(ports, key, actor, given),
      ),
    checkAnswerable: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'open a form', ids: [key] }, () => checkAnswerable(ports, key, actor)),
    retry: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'retry', ids: [key] }, () => retryBlocked(ports, key, actor)),
    /** A server's notice that a page is completed; see {@link createPageCompletions}. */
    pageCompleted: (page: PageCompleted) => pageCompletions.complete(page),
    /** See {@link resumeAfterSignIn}. */
    resumeAfterSignIn: (hasSignedIn: HasSignedIn, account?: SignInAccount) =>
      resumeAfterSignIn(ports, hasSignedIn, account),
  };
}

/** The digest of what was displayed; null: the call as first displayed. */
export interface Shown {
  readonly digest: string | null;
  /** See {@link DecisionInput.place}. */
  readonly place?: string | undefined;
}
