import { sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { createListeners } from '../../lib/listeners.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put, type Ref, ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import { type AuthorizationRecord, authorizations, type GrantedProgram } from './collections.ts';

/** How long a client that nobody has let in is kept after it registered, in milliseconds: anybody may register. */
const UNUSED_CLIENT_MS = 86_400_000;
/** Records that are read or deleted together. */
const AT_ONCE = 200;

type Kind = string;

/** The authorization server's records over the store. */
export class AuthorizationRecords {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ends = createListeners<[program: GrantedProgram]>();

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Writes a record, for so many seconds. A client without a time is kept until it's clear that nobody lets it in. */
  async save(kind: Kind, value: string, given: object, seconds: number | undefined): Promise<void> {
    const { jti: _value, ...payload } = toJson(given);
    const now = this.#clock();
    const id = recordId(kind, value);
    const expiresAt = now + (seconds === undefined ? UNUSED_CLIENT_MS : seconds * 1000);
    const ofGrant = typeof payload.grantId === 'string' && kind !== 'Interaction' ? payload.grantId : null;
    const record: AuthorizationRecord = {
      kind,
      payload,
      expiresAt,
      usedAt: null,
      grant: kind === 'Grant' ? value : ofGrant,
      program: null,
    };
    await this.#store.commit({ put: [put(authorizations, id, record)] });
  }

  /** What was saved; null if there is none, or its time is over. */
  async find(kind: Kind, value: string): Promise<AuthorizationRecord | null> {
    const stored = await this.#store.get(authorizations, recordId(kind, value));
    return stored && stored.value.expiresAt > this.#clock() ? stored.value : null;
  }

  /** Whether it's there, or was until lately. */
  async isKnown(kind: Kind, value: string): Promise<boolean> {
    return (await this.#store.get(authorizations, recordId(kind, value))) !== null;
  }

  /** Marks a code or refresh token as used. False if it was used before, by whichever process, or is gone. */
  async use(kind: Kind, value: string): Promise<boolean> {
    const stored = await this.#store.get(authorizations, recordId(kind, value));
    if (!stored || stored.value.usedAt !== null) return false;
    const used = { ...stored.value, usedAt: this.#clock() };
    const { committed } = await this.#store.commit({
      expect: [unchanged(authorizations, stored)],
      put: [put(authorizations, stored.id, used)],
    });
    return committed;
  }

  async remove(kind: Kind, value: string): Promise<void> {
    await this.#store.commit({ delete: [ref(authorizations, recordId(kind, value))] });
  }

  /** Notes what a grant lets in, and keeps its client as long. */
  async describe(grant: string, program: GrantedProgram): Promise<void> {
    const stored = await this.#store.get(authorizations, recordId('Grant', grant));
    if (!stored) return;
    const client = await this.#store.get(authorizations, recordId('Client', program.client));
    const { expiresAt } = stored.value;
    const kept = client && client.value.expiresAt < expiresAt ? { ...client.value, expiresAt } : null;
    await this.#store.commit({
      put: [
        put(authorizations, stored.id, { ...stored.value, program }),
        ...(client && kept ? [put(authorizations, client.id, kept)] : []),
      ],
    });
  }

  /** What a person has let in, latest first. */
  async listPrograms(person: string): Promise<readonly Stored<AuthorizationRecord>[]> {
    const range = { prefix: [person], descending: true };
    const { items } = await this.#store.query(authorizations, 'byPerson', range, AT_ONCE);
    return items.filter(({ value }) => value.expiresAt > this.#clock());
  }

  /** Calls `listener` with what a grant has let in that this process has ended, for whatever reason. */
  readonly onEnd = (listener: (program: GrantedProgram) => void) => this.#ends.add(listener);

  /** Ends a grant with all its codes and tokens, at once for every process. */
  async endGrant(grant: string): Promise<void> {
    const program = (await this.#store.get(authorizations, recordId('Grant', grant)))?.value.program;
    await this.#endAll(grant);
    if (program) this.#ends.notify(program);
  }

  async #endAll(grant: string): Promise<void> {
    for (;;) {
      const { items } = await this.#store.query(authorizations, 'byGrant', { prefix: [grant] }, AT_ONCE);
      if (items.length === 0) return;
      // The grant itself with the first: without it, nothing of it counts.
      const ids = new Set([recordId('Grant', grant), ...items.map(({ id }) => id)]);
      await this.#store.commit({ delete: [...ids].map((id) => ref(authorizations, id)) });
    }
  }

  /** Deletes at most `limit` records whose time was over before then; says how many. */
  readonly forget = async (before: number, limit: number): Promise<number> => {
    const { items } = await this.#store.query(authorizations, 'byEnd', { before: [before] }, limit);
    if (items.length > 0)
      await this.#store.commit({ delete: items.map(({ id }) => ref(authorizations, id)) });
    return items.length;
  };
}

/** What a person has let in: the names of the programs, and all records of it. */
export async function findPersonalPrograms(
  store: Store,
  person: string,
): Promise<{ readonly programs: readonly string[]; readonly refs: readonly Ref[] }> {
  const granted = await store.query(authorizations, 'byPerson', { prefix: [person] }, AT_ONCE);
  const refs: Ref[] = [];
  for (const { value } of granted.items) {
    if (value.grant === null) continue;
    for await (const { id } of scanIndex(store, authorizations, 'byGrant', { prefix: [value.grant] })) {
      refs.push(ref(authorizations, id));
    }
  }
  return { programs: granted.items.flatMap(({ value }) => value.program?.name ?? []), refs };
}

function recordId(kind: Kind, value: string): string {
  return sha256Hex(`${kind}:${value}`);
}

/** The library's payloads have undefined members, which JSON leaves out. */
function toJson(payload: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(payload));
  if (!isJsonObject(json)) throw new TypeError('a payload is an object');
  return json;
}
