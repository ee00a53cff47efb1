import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { AuthorizationRecords } from './records.ts';

/** One kind of the library's records. There are no sessions: whoever connects a program signs in to Slack for it. */
export function createAdapter(kind: string, records: AuthorizationRecords, usedBefore: () => Error): Adapter {
  if (kind === 'Session') return NOTHING_KEPT;
  return {
    ...NOTHING_KEPT,
    upsert: (value, payload, seconds) => records.save(kind, value, payload, seconds),
    async find(value) {
      const found = await records.find(kind, value);
      if (!found) return undefined;
      const used = found.usedAt === null ? {} : { consumed: Math.floor(found.usedAt / 1000) };
      const payload: AdapterPayload = { ...found.payload, jti: value, ...used };
      return payload;
    },
    async consume(value) {
      if (await records.use(kind, value)) return;
      // Another process was faster, so it's here twice, and somebody has it who shouldn't.
      const grant = (await records.find(kind, value))?.grant;
      if (grant) await records.endGrant(grant);
      throw usedBefore();
    },
    destroy: (value) => (kind === 'Grant' ? records.endGrant(value) : records.remove(kind, value)),
    revokeByGrantId: (grant) => records.endGrant(grant),
  };
}

const NOTHING_KEPT: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};
