import { describe, expect, it } from 'vitest';
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
