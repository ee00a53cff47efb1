import { closedForm } from './input.ts';
import { amend, ended } from './journal.ts';
import type { GatePorts } from './ports.ts';
import type { CallInput, CallRecord, ElicitationAnswer, Need } from './types.ts';

/**
 * The server did nothing yet and wants something of a person first. When the attempt was given up
 * meanwhile, nobody waits for it any more, and its end is that nothing was done.
 */
export async function block(
  ports: GatePorts,
  attempt: CallRecord,
  need: Need,
  input?: CallInput,
): Promise<CallRecord> {
  return amend(ports, attempt, (call) => {
    if (call.state === 'in_doubt') {
      const message = `${call.tool.server} did nothing: it first wanted something of a person.`;
      return ended(ports, call, { status: 'failed', message, content: [] });
    }
    if (call.state !== 'executing') return null;
    const asked = { state: 'blocked' as const, need, elicitationAnswer: null };
    return { type: 'needs_person', call: { ...call, ...asked, ...(input ? { input } : {}) } };
  });
}

/** The server asks for a form while the call runs; it goes on running. */
export async function askPerson(ports: GatePorts, attempt: CallRecord, need: Need): Promise<CallRecord> {
  return amend(ports, attempt, (call) =>
    call.state === 'executing'
      ? { type: 'needs_person', call: { ...call, need, elicitationAnswer: null } }
      : null,
  );
}

/** Nobody answers this form any more: `why` says who gave up. */
export async function stopAsking(
  ports: GatePorts,
  attempt: CallRecord,
  elicitationId: string,
  why: NonNullable<ElicitationAnswer['closed']>,
): Promise<CallRecord> {
  return amend(ports, attempt, (call) =>
    call.need?.elicitationId !== elicitationId
      ? null
      : {
          type: 'person_answered',
          call: { ...call, need: null, elicitationAnswer: closedForm(call, why) },
        },
  );
}
