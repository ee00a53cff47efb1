import { describe, expect, it } from 'vitest';
import { refusal } from '../../../helpers/gate.ts';
import { openRiskGate } from '../../../helpers/risk.ts';

/** Calls in their order, and how the last one ends: what it asks by, in which state it is. */
const TABLE: readonly (readonly [calls: readonly string[], state: string, rule: string])[] = [
  [['mail.list_closed'], 'denied', 'disabled tool'],
  [['mail.list_mail', 'web.list_page', 'mail.list_closed'], 'denied', 'disabled tool'],
  [['mail.send_mail'], 'executing', 'default'],
  [['mail.list_mail', 'mail.send_mail'], 'executing', 'default'],
  [['mail.list_mail', 'mail.post_public'], 'pending', 'access level'],
  [['mail.list_vault', 'mail.send_mail'], 'pending', 'access level'],
  [['mail.list_vault', 'web.list_page', 'mail.send_mail'], 'pending', 'access level'],
  [['mail.list_vault', 'mail.send_vault'], 'executing', 'default'],
  [['mail.list_vault', 'web.list_page', 'mail.send_vault'], 'pending', TRIFECTA()],
  [['web.list_page', 'mail.post_public'], 'executing', 'default'],
  [['mail.list_mail', 'web.list_page'], 'executing', 'default'],
  [['mail.list_mail', 'web.list_page', 'mail.send_mail'], 'pending', TRIFECTA()],
  [['mail.list_mail', 'mail.send_mail', 'web.list_page'], 'pending', TRIFECTA()],
  [['web.list_page', 'mail.send_mail', 'mail.list_mail'], 'pending', TRIFECTA()],
  [['mail.list_mail', 'web.list_page', 'mail.list_mail'], 'executing', 'default'],
  [['mail.list_mail', 'web.list_page', 'mail.list_time'], 'executing', 'default'],
  [['unknown.list_x'], 'pending', TRIFECTA()],
  [['agent.agent_unknown'], 'executing', 'default'],
  [['countersign.connect_mail'], 'executing', 'default'],
  [['mail.list_mail', 'web.list_page', 'agent.agent_post'], 'pending', TRIFECTA()],
];

function TRIFECTA() {
  return 'private data, untrusted content and a write';
}

describe('the rules about the risk of a session', () => {
  it.each(TABLE)('%j: %s by %s', async (calls, state, rule) => {
    const gate = openRiskGate();
    let last = null;
    for (const tool of calls) last = await gate.begin(tool);
    expect([last?.state, last?.verdict.rule]).toEqual([state, rule]);
  });

  it('cost no access to the store where there is no permissions file', async () => {
    const gate = openRiskGate({ risk: null });
    for (const tool of ['mail.list_mail', 'web.list_page', 'mail.send_mail']) {
      expect((await gate.begin(tool)).state).toBe('executing');
    }
    expect(await gate.gate.risk.session({ threadId: 't1' })).toBeNull();
  });
});

describe('a disabled tool is refused, whoever approved a call of it', () => {
  it('before it was disabled', async () => {
    const gate = openRiskGate();
    const asked = await gate.ask('mail.ask_send');
    await asked.approve();
    gate.disable('mail.ask_send');
    expect(await asked.send()).toMatchObject({ state: 'denied', verdict: { rule: 'disabled tool' } });
  });

  it('while people are asked: no approval, edit or grant helps', async () => {
    const gate = openRiskGate();
    const asked = await gate.ask('mail.ask_send');
    gate.disable('mail.ask_send');
    expect(await refusal(asked.approve())).toContain('denied_by_policy');
    expect(await refusal(asked.edit({ title: 'Other' }))).toContain('denied_by_policy');
    expect(await refusal(asked.remember())).toContain('denied_by_policy');
    expect((await asked.send()).state).toBe('pending');
  });

  it('and had that remembered', async () => {
    const gate = openRiskGate();
    await (await gate.ask('mail.ask_send')).remember();
    expect(await gate.begin('mail.ask_send')).toMatchObject({
      state: 'executing',
      grant: expect.anything(),
    });
    gate.disable('mail.ask_send');
    expect((await gate.begin('mail.ask_send')).state).toBe('denied');
  });
});

describe('an approval of a call that a rule about risk asks for', () => {
  it('is of this call: the next write is asked about, too', async () => {
    const gate = openRiskGate();
    await gate.begin('mail.list_mail');
    await gate.begin('web.list_page');
    const asked = await gate.ask('mail.send_mail');
    await asked.approve();
    expect((await asked.send()).state).toBe('executing');
    expect(await gate.begin('mail.send_mail')).toMatchObject({
      state: 'pending',
      verdict: { rule: TRIFECTA() },
    });
  });

  it.each([
    ['the three', 'mail.list_mail', 'web.list_page', 'mail.ask_send'],
    ['a level', 'mail.list_vault', 'mail.list_vault', 'mail.ask_send'],
  ])('of %s is never remembered, and one from before lets none through', async (_, first, second, write) => {
    const gate = openRiskGate();
    await (await gate.ask(write)).remember();
    await gate.begin(first);
    await gate.begin(second);
    const next = await gate.begin(write);
    expect([next.state, next.grant]).toEqual(['pending', undefined]);
    expect(await refusal((await gate.ask(write)).remember())).toContain('not_applicable');
  });

  it('does not have a call that was let through by a remembered one sent once its session has read more', async () => {
    const gate = openRiskGate({ isIdempotent: () => true });
    await (await gate.ask('mail.ask_send')).remember();
    const sent = await gate.begin('mail.ask_send');
    await gate.begin('mail.list_vault');
    expect(sent.grant).toBeDefined();
    expect(await gate.gate.journal.retry(sent, { fence: await gate.fence() })).toBeNull();
  });
});
