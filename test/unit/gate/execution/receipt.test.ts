import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAuditVerifier } from '../../../../src/gate/audit/keys.ts';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { createReceipts } from '../../../../src/gate/index.ts';
import { compileIdempotentTools, compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../../../src/gate/ports.ts';
import { canonicalJson, sha256Hex } from '../../../../src/lib/canonical-json.ts';
import { createGatedCaller } from '../../../../src/tools/gated-caller.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { ended, success } from '../../../helpers/fake-hub.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, carol, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const ISSUER = 'https://countersign.example.com';

const claimsSchema = z.looseObject({
  jti: z.string(),
  iat: z.number(),
  exp: z.number(),
  call: z.looseObject({ arguments_sha256: z.string(), digest: z.string() }),
});

function parse(token: string) {
  const [header = '', claims = ''] = token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), claims: claimsSchema.parse(JSON.parse(claims)) };
}

/** A gate, and the receipts that go with what its caller sends. */
function town(changes: Partial<GateOptions> = {}) {
  const fixture = openGate(changes);
  const receipts = createReceipts({ auditKeys, clock: () => fixture.time.now, issuer: () => ISSUER });
  const given: (string | null)[] = [];
  return {
    ...fixture,
    given,
    async open(call = proposed('c1')) {
      await fixture.gate.requests.open(opening(await fixture.fence(), call));
    },
    async decide(input: Partial<DecisionInput> & Pick<DecisionInput, 'type'>, actor = ana) {
      const { digest } = await fixture.call('c1');
      await fixture.gate.decisions.decide([{ callKey: KEY, digest, ...input }], actor);
    },
    /** Sends a call; its server asks for it as often as `requests` says. */
    async run(
      call = proposed('c1'),
      { requests = 1, outcome = success('ok') as CallRecord['outcome'] } = {},
    ) {
      const callTool = createGatedCaller({
        gate: fixture.gate,
        receipts,
        maxConcurrentCalls: 1,
        wait: async () => {},
        async send({ receipt }) {
          for (let sent = 0; sent < requests; sent += 1) given.push(receipt?.(60_000) ?? null);
          return ended(outcome ?? success('ok'));
        },
      });
      const signal = new AbortController().signal;
      const asked = { ...beginning(await fixture.fence(), call), signal, onProgress: () => {} };
      return callTool(asked);
    },
  };
}

describe('the receipt of a call', () => {
  it('says who approved what, by which rule and until when, and neither names nor arguments', async () => {
    const { open, decide, run, given, call, time } = town();
    await open();
    await decide({ type: 'approve' });
    time.now += 1_000;
    await run();
    const [token = null] = given;
    const { header, claims } = parse(token ?? '');
    const { digest, tool, verdict } = await call('c1');
    const [jwk] = auditKeys.publicKeys;
    expect(header).toEqual({ alg: 'EdDSA', typ: 'countersign-receipt+jwt', kid: jwk?.kid });
    expect(claims).toEqual({
      iss: ISSUER,
      aud: 'calendar',
      jti: `${KEY}.1.1`,
      iat: 1_001,
      exp: 1_301,
      call: {
        server: 'calendar',
        tool: 'create_event',
        definition_sha256: tool.definitionHash,
        arguments_sha256: sha256Hex(canonicalJson({ title: 'Standup' })),
        digest,
      },
      approved_by: [{ id: ana.id, at: 1_000, step: 0 }],
      rule: 'default',
      policy_version: verdict.policyVersion,
      requester: ana.id,
    });
  });

  it('is signed by a published key', async () => {
    const { open, decide, run, given } = town();
    await open();
    await decide({ type: 'approve' });
    await run();
    const [header, claims, signature = ''] = (given[0] ?? '').split('.');
    const key = createPublicKey({ key: { ...auditKeys.publicKeys[0] }, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify(null, signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('has all who approved it where several had to, and none who did not', async () => {
    const approvers = [ana, bob, carol].map(({ id }) => `user:${id.split(':')[2]}`);
    const rules = [{ tools: '*', action: 'ask', approvers: { from: approvers, quorum: 2, rejections: 2 } }];
    const { open, decide, run, given } = town({ evaluate: compilePolicy(policySchema.parse({ rules })) });
    await open();
    await decide({ type: 'approve' }, bob);
    await decide({ type: 'reject', feedback: 'no' }, ana);
    await decide({ type: 'approve' }, carol);
    await run();
    expect(parse(given[0] ?? '').claims.approved_by).toEqual([
      { id: bob.id, at: 1_000, step: 0 },
      { id: carol.id, at: 1_000, step: 0 },
    ]);
  });

  it('has the digest of the arguments as somebody edited them', async () => {
    const { open, decide, run, given, call } = town();
    await open();
    await decide({ type: 'edit', arguments: { title: 'Retro' } });
    await run();
    const { claims } = parse(given[0] ?? '');
    expect(claims.call.arguments_sha256).toBe(sha256Hex(canonicalJson({ title: 'Retro' })));
    expect(claims.call.digest).toBe((await call('c1')).digest);
  });

  it('names a lasting permission, and who gave it, where that stood for an approval', async () => {
    const { gate, open, run, given, call, time } = town();
    await open();
    const { digest } = await call('c1');
    const until = time.now + 3_600_000;
    const terms = { fixed: ['title'], scope: 'thread' as const, until, limit: 3 };
    await gate.grants.approveAndIssue(KEY, ana, { digest, terms });
    await run();
    await run(proposed('c2'));
    const [first, second] = given.map((token) => parse(token ?? '').claims);
    expect(first).toMatchObject({ approved_by: [{ id: ana.id }] });
    expect(first).not.toHaveProperty('grant');
    const grant = { id: expect.any(String), by: ana.id, until: until / 1_000 };
    expect(second).toMatchObject({ approved_by: [], grant });
  });

  it('has an id of its own in each request and each attempt', async () => {
    const isIdempotent = compileIdempotentTools(policySchema.parse({ idempotent: ['calendar.*'] }));
    const { open, decide, run, given } = town({ isIdempotent });
    await open();
    await decide({ type: 'approve' });
    await run(undefined, { requests: 2, outcome: { status: 'in_doubt', message: 'lost' } });
    const ids = given.map((token) => parse(token ?? '').claims.jti);
    expect(ids).toEqual([`${KEY}.1.1`, `${KEY}.1.2`, `${KEY}.2.1`, `${KEY}.2.2`, `${KEY}.3.1`, `${KEY}.3.2`]);
  });

  it('does not exist where only the policy allowed it', async () => {
    const { run, given } = town();
    await run(proposed('c1', { name: 'list_events' }));
    expect(given).toEqual([null]);
  });

  it('is no signature of an audit entry, and the other way round', () => {
    const token = auditKeys.signToken('countersign-receipt+jwt', { hash: 'a'.repeat(64) });
    const [header, claims, signature = ''] = token.split('.');
    const entry = { keyId: auditKeys.keyId, signature };
    expect(auditKeys.isSigned({ ...entry, hash: `${header}.${claims}` })).toBe(false);
    const key = createPublicKey({ key: { ...auditKeys.publicKeys[0] }, format: 'jwk' });
    const other = createAuditVerifier([key]);
    expect(other.isSigned({ ...entry, hash: 'a'.repeat(64) })).toBe(false);
    const ofEntry = Buffer.from(auditKeys.sign(`${header}.${claims}`), 'base64url');
    expect(verify(null, Buffer.from(`${header}.${claims}`), key, ofEntry)).toBe(false);
  });
});
