import { type CallRecord, finalState, type Program } from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import {
  type CountedCall,
  findAccount,
  type LimitReached,
  type Limits,
  programLimitReached,
  type Surface,
} from '../runs/index.ts';
import type { Account } from '../tools/ports.ts';
import { keyName } from './find-caller.ts';
import type { CallPlace } from './ports.ts';

/** The limits that calls of programs count against. */
export interface ProgramLimits {
  /** Whose share a call in this place counts against, as if its person had made it. */
  readonly findAccount: (place: CallPlace, threadId: string) => Account;
  /** See `Limits.beginCall`. */
  readonly beginCall: (account: Account) => Promise<CountedCall | LimitReached>;
}

export function createProgramLimits(
  limits: Pick<Limits, 'beginCall'>,
  surfaces: readonly Surface[],
): ProgramLimits {
  return {
    findAccount: ({ surface, requester }, threadId) =>
      findAccount(surfaces, { threadId, surface }, requester),
    beginCall: (account) => limits.beginCall(account),
  };
}

/**
 * Whose limits a call of a program counts against: those of its key and of who answers for it, or of its person alone
 * where they have let it in themselves.
 */
export function programAccount({ id }: Pick<Program, 'id'>, person: Account): Account {
  const name = keyName(id);
  if (name === null) return person;
  // As the same key is named where it has conversations over HTTP.
  return { kind: 'key', owner: `api:${name}`, channel: person.channel, person: person.owner };
}

/**
 * Proposes a call of a program within its budget. It counts whether people approve it or not, so that they aren't asked
 * without end; one that ends at once, as the policy denies it, doesn't.
 * @throws AppError `limit_reached`; nothing was proposed then
 */
export async function proposeCounted(
  limits: ProgramLimits,
  { program, place, threadId }: { program: Pick<Program, 'id'>; place: CallPlace; threadId: string },
  propose: () => Promise<CallRecord>,
): Promise<CallRecord> {
  const account = programAccount(program, limits.findAccount(place, threadId));
  const counted = await limits.beginCall(account);
  if ('limit' in counted) {
    throw new AppError({ code: 'limit_reached', userMessage: programLimitReached(counted) });
  }
  let isKept = false;
  try {
    const call = await propose();
    isKept = finalState(call) === null;
    return call;
  } finally {
    if (!isKept) counted.giveBack();
  }
}
