import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Need } from '../../../../src/gate/call/need.ts';
import type { HasSignedIn } from '../../../../src/gate/elicitation/signed-in.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const signIn = (tried?: number | null, server = 'calendar'): Need => ({
  kind: 'oauth_url',
  elicitationId: 'e1',
  url: 'https://example.com/oauth/start',
  message: 'Connect',
  connect: { server, scope: null, resourceMetadataUrl: null },
  ...(tried !== undefined && { tried }),
});

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

/** An approved call of Ana's that its server refused until she has signed in. */
async function blocked(need: Need): Promise<void> {
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1')));
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  await fixture.gate.elicitation.block(
    (await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).call,
    need,
  );
}

/** Ana has signed in to the calendar at this time. */
const since =
  (at: number): HasSignedIn =>
  async (server, person, tried) =>
    server === 'calendar' && person.id === ana.id && tried !== at;
const state = async () => (await fixture.call('c1')).state;

describe('a sign-in that was made by now', () => {
  it('lets the call go on that waits for it, in the name of whose it is', async () => {
    await blocked(signIn(null));
    await fixture.gate.elicitation.resumeAfterSignIn(since(5));
    expect(await fixture.call('c1')).toMatchObject({
      state: 'approved',
      need: null,
      decision: { actor: ana },
    });
    const answers = (await entriesOf(fixture.store)).filter(({ what }) => what === 'need_answered');
    expect(answers).toMatchObject([{ actor: { id: ana.id } }]);
  });

  it('sends a call that the policy allows, and the audit finds nothing wrong with it', async () => {
    const { gate, store } = fixture;
    const fence = await fixture.fence();
    const listing = proposed('c1', { name: 'list_events' });
    const begin = () => gate.journal.begin(beginning(fence, listing));
    await gate.elicitation.block((await begin()).call, signIn(null));
    await gate.requests.open(opening(fence, listing));
    await gate.elicitation.resumeAfterSignIn(since(5));
    expect((await begin()).kind).toBe('ready');
    expect(await problemsOf(store)).toEqual([]);
  });

  it('does nothing for a call that was refused with it', async () => {
    await blocked(signIn(5));
    await fixture.gate.elicitation.resumeAfterSignIn(since(5));
    expect(await state()).toBe('blocked');
    await fixture.gate.elicitation.resumeAfterSignIn(since(6));
    expect(await state()).toBe('approved');
  });

  it('lets go on what an earlier version wrote, which does not say what it was refused with', async () => {
    await blocked(signIn());
    await fixture.gate.elicitation.resumeAfterSignIn(since(5));
    expect(await state()).toBe('approved');
  });

  it.each([
    ['another server’s', signIn(null, 'tasks'), undefined],
    ['another person’s', signIn(null), { server: 'calendar', personId: bob.id }],
    ['of a page of the server’s own', { ...signIn(), connect: undefined }, undefined],
  ] as const)('leaves a call alone that waits for %s', async (_whose, need, account) => {
    await blocked(need);
    await fixture.gate.elicitation.resumeAfterSignIn(since(5), account);
    expect(await state()).toBe('blocked');
  });
});
