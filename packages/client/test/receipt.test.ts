import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  digestArguments,
  fetchReceiptKeys,
  type ReceiptError,
  ReceiptMemory,
  type VerifyReceiptOptions,
  verifyReceipt,
} from '../src/receipt.ts';

const ISSUER = 'https://countersign.example.com';
const NOW = 1_800_000_000_000;
const S = NOW / 1_000;
const ARGS = { to: 'Bob', amount: 12.5, é: [1e21, null, true], a: { z: 1, b: 'x' } };

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'EdDSA', use: 'sig' };

const HEADER = { alg: 'EdDSA', typ: 'countersign-receipt+jwt', kid: 'k1' };
const CLAIMS = {
  iss: ISSUER,
  aud: 'bank',
  jti: 'call.1.1',
  iat: S - 1,
  exp: S + 300,
  call: {
    server: 'bank',
    tool: 'pay',
    definition_sha256: 'd',
    arguments_sha256: digestArguments(ARGS),
    digest: 'x',
  },
  approved_by: [{ id: 'slack:T1:U1', at: S - 5, step: 0 }],
  rule: 'payments',
  policy_version: 'v1',
  requester: 'slack:T1:U2',
};

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function issue({
  header = {},
  claims = {},
  key = privateKey,
}: {
  header?: object;
  claims?: object;
  key?: KeyObject;
} = {}): string {
  const signed = `${encode({ ...HEADER, ...header })}.${encode({ ...CLAIMS, ...claims })}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function options(changes: Partial<VerifyReceiptOptions> = {}): VerifyReceiptOptions {
  return {
    issuer: ISSUER,
    audience: 'bank',
    tool: 'pay',
    arguments: ARGS,
    keys: { keys: [jwk] },
    used: new ReceiptMemory({ now: () => NOW }),
    now: () => NOW,
    ...changes,
  };
}

const codeOf = (token: unknown, changes: Partial<VerifyReceiptOptions> = {}): Promise<string> =>
  verifyReceipt(token, options(changes)).then(
    () => 'accepted',
    (error: ReceiptError) => error.code,
  );

describe('a receipt', () => {
  it('is accepted for the call that people approved, and says who did', async () => {
    expect(await verifyReceipt(issue(), options())).toEqual(CLAIMS);
  });

  it('is for the same arguments in another order, and for none where none came', async () => {
    const reordered = { a: { b: 'x', z: 1 }, é: ARGS.é, amount: 12.5, to: 'Bob' };
    expect(await codeOf(issue(), { arguments: reordered })).toBe('accepted');
    const none = issue({ claims: { call: { ...CLAIMS.call, arguments_sha256: digestArguments({}) } } });
    expect(await codeOf(none, { arguments: undefined })).toBe('accepted');
  });

  it('is used up by the first call, and not by calls that it is not for', async () => {
    const used = new ReceiptMemory({ now: () => NOW });
    const token = issue();
    expect(await codeOf(token, { used, arguments: { ...ARGS, amount: 13 } })).toBe('wrong_arguments');
    expect(await codeOf(token, { used })).toBe('accepted');
    expect(await codeOf(token, { used })).toBe('used');
  });

  it('is accepted by a clock that differs a little', async () => {
    expect(await codeOf(issue({ claims: { iat: S + 20, exp: S + 320 } }))).toBe('accepted');
    expect(await codeOf(issue({ claims: { exp: S - 20 } }))).toBe('accepted');
  });

  it.each<[string, string, unknown, Partial<VerifyReceiptOptions>]>([
    ['that is missing', 'missing', undefined, {}],
    ['that is no text', 'malformed', 7, {}],
    ['of two parts', 'malformed', 'a.b', {}],
    ['of four parts', 'malformed', `${issue()}.x`, {}],
    ['with padding', 'malformed', `${issue()}==`, {}],
    ['without its claims', 'malformed', issue({ claims: { call: null } }), {}],
    ['with an extension that must be understood', 'malformed', issue({ header: { crit: ['b64'] } }), {}],
    ['of the algorithm none', 'wrong_type', `${encode({ ...HEADER, alg: 'none' })}.${encode(CLAIMS)}.`, {}],
    ['of another algorithm', 'wrong_type', issue({ header: { alg: 'HS256' } }), {}],
    ['of another type', 'wrong_type', issue({ header: { typ: 'JWT' } }), {}],
    ['without a type', 'wrong_type', issue({ header: { typ: undefined } }), {}],
    ['of an unknown key', 'unknown_key', issue({ header: { kid: 'k2' } }), {}],
    [
      'that somebody else signed',
      'bad_signature',
      issue({ key: generateKeyPairSync('ed25519').privateKey }),
      {},
    ],
    [
      'whose claims were changed',
      'bad_signature',
      issue().replace(/\.[^.]+\./, `.${encode({ ...CLAIMS, jti: 'y' })}.`),
      {},
    ],
    ['without a signature', 'bad_signature', issue().replace(/[^.]+$/, ''), {}],
    ['of another Countersign', 'wrong_issuer', issue({ claims: { iss: 'https://evil.example.com' } }), {}],
    ['for another server', 'wrong_audience', issue({ claims: { aud: 'calendar' } }), {}],
    ['from the future', 'not_valid_yet', issue({ claims: { iat: S + 60 } }), {}],
    ['that has expired', 'expired', issue({ claims: { exp: S - 60 } }), {}],
    ['for another tool', 'wrong_tool', issue(), { tool: 'refund' }],
    ['for other arguments', 'wrong_arguments', issue(), { arguments: { ...ARGS, to: 'Eve' } }],
    ['for arguments that are not JSON', 'wrong_arguments', issue(), { arguments: { a: '\ud800' } }],
  ])('%s is refused', async (_what, code, token, changes) => {
    expect(await codeOf(token, changes)).toBe(code);
  });
});

describe('the memory of used receipts', () => {
  it('refuses rather than forgets what is still valid, and makes room when that has expired', () => {
    let now = 0;
    const memory = new ReceiptMemory({ most: 2, now: () => now });
    expect([memory.use('a', 10), memory.use('b', 20), memory.use('a', 10)]).toEqual([true, true, false]);
    expect(() => memory.use('c', 30)).toThrow('Too many receipts');
    now = 10;
    expect([memory.use('c', 30), memory.use('b', 20)]).toEqual([true, false]);
  });
});

describe('the keys of a Countersign', () => {
  /** What is published, and how often it was read. */
  function published(keys: object[]) {
    const state = { keys, reads: 0, now: NOW, isDown: false };
    const get: typeof fetch = async (url) => {
      state.reads += 1;
      expect(url).toBe(`${ISSUER}/.well-known/jwks.json`);
      return state.isDown ? new Response('no', { status: 503 }) : Response.json({ keys: state.keys });
    };
    const find = fetchReceiptKeys(ISSUER, { fetch: get, now: () => state.now });
    return { state, find };
  }

  it('are read once for many receipts at once', async () => {
    const { state, find } = published([jwk]);
    await Promise.all([find('k1'), find('k1'), find('k1')]);
    expect(await find('k1')).not.toBeNull();
    expect(state.reads).toBe(1);
  });

  it('are read again for a new one, though not for every made-up one', async () => {
    const { state, find } = published([jwk]);
    await find('k1');
    state.keys = [{ ...jwk, kid: 'k2' }, jwk];
    for (let tried = 0; tried < 5; tried += 1) await find('made up');
    expect(state.reads).toBe(1);
    state.now += 11_000;
    expect(await find('k2')).not.toBeNull();
    expect(state.reads).toBe(2);
  });

  it('are no longer used once they are not published any more', async () => {
    const { state, find } = published([jwk]);
    await find('k1');
    state.keys = [];
    state.now += 301_000;
    expect(await find('k1')).toBeNull();
  });

  it('make every receipt refused while they cannot be read', async () => {
    const { state, find } = published([jwk]);
    state.isDown = true;
    expect(await codeOf(issue(), { keys: find })).toBe('no_keys');
    state.isDown = false;
    expect(await codeOf(issue(), { keys: find })).toBe('accepted');
  });
});

describe('the digest of arguments', () => {
  it('is over canonical JSON', () => {
    const hash = createHash('sha256').update('{"a":[1,"ü"],"b":null}').digest('hex');
    expect(digestArguments({ b: null, a: [1, 'ü'] })).toBe(hash);
  });
});
