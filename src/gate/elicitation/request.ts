import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callRemark, SYSTEM } from '../audit/notes.ts';
import type { CallInput, ElicitationAnswer, Need } from '../call/need.ts';
import { countPageRequest, MAX_PAGES } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { closeForm } from '../call/server-input.ts';
import { amendAttempt, endAttempt } from '../execution/journal.ts';
import type { GatePorts } from '../ports.ts';
import { commitChange } from '../store/commit.ts';
import { nothingBegun, tooManyPages } from '../texts/notices.ts';

/**
 * Blocks a call whose server needs a person first and has done nothing yet. If the attempt was given up
 * meanwhile, nobody waits for it, and the call ends with nothing done. So it does if a server wants page
 * after page without beginning.
 */
export async function block(
  ports: GatePorts,
  attempt: CallRecord,
  need: Need,
  input?: CallInput,
): Promise<CallRecord> {
  return amendAttempt(ports, attempt, (call) => {
    if (call.state === 'in_doubt') {
      const message = nothingBegun(call.tool.server);
      return endAttempt(ports, call, { status: 'failed', message, content: [] });
    }
    if (call.state !== 'executing') return null;
    const next = countPageRequest(call, need);
    if (next === null) {
      const message = tooManyPages(call.tool.server, MAX_PAGES);
      return endAttempt(ports, call, { status: 'failed', message, content: [] });
    }
    const asked = { state: 'blocked' as const, need, elicitationAnswer: null };
    return { type: 'needs_person', call: { ...next, ...asked, input: input ?? next.input } };
  });
}

/**
 * Requests a form for a running call, which keeps running; or a sign-in, which its server may want before it says how far it is.
 * Of a sign-in that is requested already, the person has a link.
 */
export async function requestForm(ports: GatePorts, attempt: CallRecord, need: Need): Promise<CallRecord> {
  const isOpen = (call: CallRecord) => need.kind === 'oauth_url' && call.need?.kind === need.kind;
  return amendAttempt(ports, attempt, (call) =>
    call.state === 'executing' && !isOpen(call)
      ? { type: 'needs_person', call: { ...call, need, elicitationAnswer: null } }
      : null,
  );
}

/** The end of a form that nobody answered; `why` says who gave up. */
export interface ElicitationClosing {
  readonly elicitationId: string;
  readonly why: NonNullable<ElicitationAnswer['closed']>;
}

/** Closes a form that nobody will answer any more. */
export async function closeElicitation(
  ports: GatePorts,
  attempt: CallRecord,
  { elicitationId, why }: ElicitationClosing,
): Promise<CallRecord> {
  return amendAttempt(ports, attempt, (call) =>
    call.need?.elicitationId !== elicitationId
      ? null
      : {
          type: 'person_answered',
          call: { ...call, need: null, elicitationAnswer: closeForm(call, why) },
        },
  );
}

/**
 * Records in the audit that a running call's server asks the model, as the policy or a person allowed; the
 * model is asked afterwards. The entry's digest binds what it is asked.
 */
export async function recordSampling(
  ports: GatePorts,
  attempt: CallRecord,
  rule: string,
  asked: JsonObject,
): Promise<void> {
  const details = { for: attempt.requester.id, rule, requestDigest: sha256Hex(canonicalJson(asked)) };
  const notes = [callRemark(attempt, 'model_asked', SYSTEM, details)];
  while (!(await commitChange(ports, { expect: [], put: [], event: null, notes })));
}
