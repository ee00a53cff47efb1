import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { RECEIPT_PROBLEMS } from './texts.ts';

/** The key of `_meta` under which a receipt comes with an MCP call, and goes back with its result. */
export const RECEIPT_META = 'countersign/receipt';

const RECEIPT_TYPE = 'countersign-receipt+jwt';
/** A receipt takes less than 200 characters for each approver. */
const LONGEST = 64_000;

/** A person's approval. `for`: on whose behalf; `at`: seconds since the epoch; `step`: of the sequence, from 0. */
export interface ReceiptApproval {
  readonly id: string;
  readonly for?: string;
  readonly at: number;
  readonly step: number;
}

/** What a receipt says. Times are in seconds since the epoch. */
export interface Receipt {
  /** The Countersign that signed it, by its address. */
  readonly iss: string;
  /** The server that it is for, as Countersign's configuration names it. */
  readonly aud: string;
  /** Its one-use id. */
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly call: {
    readonly server: string;
    readonly tool: string;
    /** SHA-256 of the tool's definition as people were shown it. */
    readonly definition_sha256: string;
    /** SHA-256 over the canonical JSON (RFC 8785) of the arguments. */
    readonly arguments_sha256: string;
    /** SHA-256 over server, tool, definition and arguments: what the approvals bind to. */
    readonly digest: string;
  };
  /** Empty if a lasting permission stood for them. */
  readonly approved_by: readonly ReceiptApproval[];
  readonly grant?: { readonly id: string; readonly by: string; readonly until: number };
  readonly rule: string;
  readonly policy_version: string;
  readonly requester: string;
  /** The program that proposed the call for the requester. */
  readonly program?: string;
}

/** Why a receipt isn't accepted. */
export type ReceiptProblem = keyof typeof RECEIPT_PROBLEMS;

/** A receipt that isn't accepted; `code` says why. The call must not run. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
  readonly code: ReceiptProblem;

  constructor(code: ReceiptProblem, cause?: unknown) {
    super(RECEIPT_PROBLEMS[code], { cause });
    this.code = code;
  }
}

/** Remembers which receipts were used; shared by all processes of a server. */
export interface UsedReceipts {
  /**
   * Notes the use of a receipt, atomically; false if it was used before.
   * @param until when it may be forgotten, in milliseconds since the epoch.
   */
  use(id: string, until: number): boolean | Promise<boolean>;
}

/** The keys as `/.well-known/jwks.json` has them. */
export interface ReceiptKeySet {
  readonly keys: readonly object[];
}

/** Finds a public key by its id; null if there is none. */
export type FindReceiptKey = (keyId: string) => Promise<KeyObject | null>;

export interface VerifyReceiptOptions {
  /** The address of the Countersign whose approvals count: its `PUBLIC_URL`. */
  readonly issuer: string;
  /** This server, as Countersign's configuration names it. */
  readonly audience: string;
  /** The tool that is called. */
  readonly tool: string;
  /** The arguments as they came, before defaults are filled in; undefined counts as `{}`. */
  readonly arguments: unknown;
  /** The keys of the issuer, or what finds them, such as {@link fetchReceiptKeys}. */
  readonly keys: ReceiptKeySet | FindReceiptKey;
  /** Where uses are remembered, such as a {@link ReceiptMemory}. */
  readonly used: UsedReceipts;
  /** @default Date.now */
  readonly now?: () => number;
  /**
   * How far the two clocks may differ, in milliseconds.
   * @default 30 seconds
   */
  readonly toleranceMs?: number;
}

/**
 * Verifies that people approved exactly this call, and uses the receipt up. Call it right before the call takes effect.
 * @param token `params._meta['countersign/receipt']` of the call.
 * @throws ReceiptError whose `code` says why the call must not run.
 *
 * @example
 * const keys = fetchReceiptKeys('https://countersign.example.com');
 * const used = new ReceiptMemory();
 * const { approved_by } = await verifyReceipt(params._meta?.[RECEIPT_META], {
 *   ...{ issuer: 'https://countersign.example.com', audience: 'payments', keys, used },
 *   ...{ tool: params.name, arguments: params.arguments },
 * });
 */
export async function verifyReceipt(token: unknown, options: VerifyReceiptOptions): Promise<Receipt> {
  const { issuer, audience, tool, keys, used, now = Date.now, toleranceMs = 30_000 } = options;
  if (token === undefined || token === null) throw new ReceiptError('missing');
  const { header, claims: receipt, signed, signature } = parseToken(token);
  if (header.typ !== RECEIPT_TYPE || header.alg !== 'EdDSA') throw new ReceiptError('wrong_type');
  // An extension that must be understood, and isn't.
  if (header.crit !== undefined || typeof header.kid !== 'string') throw new ReceiptError('malformed');
  const key = typeof keys === 'function' ? await keys(header.kid) : findKey(keys, header.kid);
  if (key === null) throw new ReceiptError('unknown_key');
  if (key.asymmetricKeyType !== 'ed25519' || !verify(null, signed, key, signature)) {
    throw new ReceiptError('bad_signature');
  }
  if (!isReceipt(receipt)) throw new ReceiptError('malformed');
  if (receipt.iss !== issuer) throw new ReceiptError('wrong_issuer');
  if (receipt.aud !== audience || receipt.call.server !== audience) throw new ReceiptError('wrong_audience');
  const until = receipt.exp * 1_000 + toleranceMs;
  if (!(receipt.iat * 1_000 - toleranceMs <= now())) throw new ReceiptError('not_valid_yet');
  if (!(until > now())) throw new ReceiptError('expired');
  if (receipt.call.tool !== tool) throw new ReceiptError('wrong_tool');
  if (receipt.call.arguments_sha256 !== digestArguments(options.arguments)) {
    throw new ReceiptError('wrong_arguments');
  }
  if (!(await used.use(`${issuer} ${receipt.jti}`, until))) throw new ReceiptError('used');
  return receipt;
}

/** SHA-256 over the canonical JSON (RFC 8785) of a call's arguments, 64 lower-case hex digits. */
export function digestArguments(args: unknown): string {
  try {
    return createHash('sha256')
      .update(canonicalJson(args ?? {}))
      .digest('hex');
  } catch (error) {
    throw new ReceiptError('wrong_arguments', error);
  }
}

/**
 * Remembers used receipts in this process. When it is full of receipts that are still valid, further ones are refused:
 * forgetting one early would let it be used again.
 */
export class ReceiptMemory implements UsedReceipts {
  readonly #untils = new Map<string, number>();
  readonly #most: number;
  readonly #now: () => number;

  /** @param most how many are remembered; each takes some 100 bytes. */
  constructor({ most = 100_000, now = Date.now }: { most?: number; now?: () => number } = {}) {
    this.#most = most;
    this.#now = now;
  }

  use(id: string, until: number): boolean {
    if (this.#untils.has(id)) return false;
    if (this.#untils.size >= this.#most) this.#forgetExpired();
    if (this.#untils.size >= this.#most) throw new ReceiptError('too_many');
    this.#untils.set(id, until);
    return true;
  }

  #forgetExpired(): void {
    const now = this.#now();
    for (const [id, until] of this.#untils) if (until <= now) this.#untils.delete(id);
  }
}

interface FetchKeysOptions {
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** @default Date.now */
  readonly now?: () => number;
}

/** How long keys are used that were read, and how long none are read again, in milliseconds. */
const KEYS_FOR_MS = 300_000;
const READ_AGAIN_MS = 10_000;
const FETCH_WITHIN_MS = 5_000;

/**
 * Finds the keys of a Countersign at its `/.well-known/jwks.json`. They are read again every five minutes, and sooner
 * for a key that isn't among them, at most every ten seconds.
 */
export function fetchReceiptKeys(issuer: string, options: FetchKeysOptions = {}): FindReceiptKey {
  const { fetch: get = fetch, now = Date.now } = options;
  let keys: ReceiptKeySet = { keys: [] };
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const signal = AbortSignal.timeout(FETCH_WITHIN_MS);
    const response = await get(`${issuer}/.well-known/jwks.json`, { signal, redirect: 'error' });
    const body: unknown = await response.json();
    if (!response.ok || !isObject(body) || !Array.isArray(body.keys)) throw new Error(response.statusText);
    keys = { keys: body.keys.filter(isObject) };
    readAt = now();
  }

  return async (keyId) => {
    const age = now() - readAt;
    if (age > KEYS_FOR_MS || (age > READ_AGAIN_MS && findKey(keys, keyId) === null)) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading.catch((error: unknown) => {
        throw new ReceiptError('no_keys', error);
      });
    }
    return findKey(keys, keyId);
  };
}

function findKey({ keys }: ReceiptKeySet, keyId: string): KeyObject | null {
  const found = keys.find((key) => isObject(key) && key.kid === keyId && key.crv === 'Ed25519');
  if (!isObject(found) || typeof found.x !== 'string') return null;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.x }, format: 'jwk' });
  } catch {
    return null;
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** The parts of a JSON Web Signature in its compact form, each as strictly as it is written. */
function parseToken(token: unknown): {
  readonly header: JsonRecord;
  readonly claims: JsonRecord;
  readonly signed: Buffer;
  readonly signature: Buffer;
} {
  if (typeof token !== 'string' || token.length > LONGEST) throw new ReceiptError('malformed');
  const [first = '', second = '', third = '', ...more] = token.split('.');
  if (more.length > 0) throw new ReceiptError('malformed');
  const header = parseObject(first);
  const claims = parseObject(second);
  return { header, claims, signed: Buffer.from(`${first}.${second}`), signature: decode(third) };
}

function parseObject(part: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decode(part)));
  } catch (error) {
    throw new ReceiptError('malformed', error);
  }
  if (!isObject(value)) throw new ReceiptError('malformed');
  return value;
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new ReceiptError('malformed');
  return bytes;
}

function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the claims are what this version checks; the rest is as it was signed. */
function isReceipt(claims: unknown): claims is Receipt {
  if (!isObject(claims) || !isObject(claims.call) || !Array.isArray(claims.approved_by)) return false;
  const { iss, aud, jti, iat, exp, call } = claims;
  const texts = [iss, aud, jti, call.server, call.tool, call.arguments_sha256];
  return texts.every((it) => typeof it === 'string') && [iat, exp].every((it) => typeof it === 'number');
}

/** RFC 8785: members sorted by UTF-16 code units, numbers and texts as ECMAScript writes them. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${canonicalJson(key)}:${canonicalJson(value[key])}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a JSON number');
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('not Unicode');
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('not JSON');
  return text;
}
