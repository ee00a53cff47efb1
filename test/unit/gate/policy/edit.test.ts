import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const inputSchema: JsonObject = {
  type: 'object',
  properties: { amount: { type: ['number', 'string'] }, to: { type: 'array' }, path: { type: 'string' } },
};
const policy = policySchema.parse({
  rules: [
    {
      name: 'too much',
      tools: 'pay.*',
      when: {
        any_of: [
          { amount: { over: 1_000, default: 0 } },
          { 'to[*]': { matches: '*@evil.test', default: [] } },
        ],
      },
      action: 'deny',
    },
    {
      name: 'outside',
      tools: 'pay.*',
      when: { not: { path: { path_under: '/srv/shared', default: '/srv/shared' } } },
      action: 'deny',
    },
    { name: 'small', tools: 'pay.*', when: { amount: { at_most: 10 } }, action: 'allow' },
  ],
});

function openPolicyGate() {
  const fixture = openGate({ evaluate: compilePolicy(policy) });
  return fixture;
}
const sent = (args: JsonObject) => proposed('c1', { server: 'pay', name: 'send', inputSchema }, args);

async function waiting(args: JsonObject) {
  const fixture = openPolicyGate();
  await fixture.gate.requests.open(opening(await fixture.fence(), sent(args)));
  return {
    fixture,
    async edit(changed: JsonObject) {
      const { digest } = await fixture.call('c1');
      const input = { callKey: callKey(THREAD, 'c1'), digest, type: 'edit' as const, arguments: changed };
      return fixture.gate.decisions.decide([input], ana).then(
        () => 'approved',
        (error: unknown) => (error instanceof RefusalError ? error.refusal : String(error)),
      );
    },
  };
}

describe('an edit', () => {
  it.each<[string, Record<string, Json>]>([
    ['raises the amount over the limit', { amount: 1_001 }],
    ['writes it so that it can be read in two ways', { amount: '1.000' }],
    ['writes it as no number at all', { amount: '1e309' }],
    ['adds a recipient among others', { amount: 50, to: ['bob@example.com', 'eve@evil.test'] }],
    ['hides one in an address', { amount: 50, to: ['eve@evil.test\u202e'] }],
    ['puts one a level deeper', { amount: 50, to: [['eve@evil.test']] }],
    ['leaves the folder', { amount: 50, path: '/srv/shared/../secret' }],
    ['leaves it for some readers', { amount: 50, path: '/srv/shared/%2e%2e/secret' }],
  ])('that %s meets the stricter rule: nothing is decided', async (_what, changed) => {
    const { fixture, edit } = await waiting({ amount: 50 });
    expect(await edit(changed)).toBe('denied_by_policy');
    expect(await fixture.call('c1')).toMatchObject({ state: 'pending', arguments: { amount: 50 } });
  });

  it('within the same rule is approved', async () => {
    const { fixture, edit } = await waiting({ amount: 50 });
    expect(await edit({ amount: 60, to: ['bob@example.com'] })).toBe('approved');
    expect(await fixture.call('c1')).toMatchObject({ state: 'approved', arguments: { amount: 60 } });
  });

  it('into a laxer rule is still recorded as asked', async () => {
    const { fixture, edit } = await waiting({ amount: 50 });
    expect(await edit({ amount: 5 })).toBe('approved');
    expect((await fixture.call('c1')).verdict).toMatchObject({ action: 'ask', rule: 'default' });
  });
});

describe('a call that nobody was asked about', () => {
  it.each<[Record<string, Json>, string, string]>([
    [{ amount: 5 }, 'ready', 'executing'],
    [{ amount: '5' }, 'ready', 'executing'],
    [{ amount: '5.000' }, 'ended', 'denied'],
    [{ amount: 50 }, 'waiting', 'pending'],
    [{}, 'waiting', 'pending'],
    [{ amount: 5_000 }, 'ended', 'denied'],
    [{ amount: 5, path: '/etc/passwd' }, 'ended', 'denied'],
  ])('with %j is %s, and %s', async (args, kind, state) => {
    const fixture = openPolicyGate();
    const begun = await fixture.gate.journal.begin(beginning(await fixture.fence(), sent(args)));
    expect(begun).toMatchObject({ kind, call: { state } });
  });
});
