import { describe, expect, it } from 'vitest';
import { auditEntries } from '../../../../src/gate/audit/chain.ts';
import { ana, bob, carol, THREAD } from '../../../helpers/people.ts';
import { HOUR, MINUTE, openTimedGate, people, rule, type TimedGate } from '../../../helpers/timed-gate.ts';

let fixture: TimedGate;
async function open(...given: Parameters<typeof openTimedGate>): Promise<void> {
  fixture = await openTimedGate(...given);
}

describe('a ladder', () => {
  const ladder = [
    { after: '30m', remind: true },
    { after: '1h', add: '@backup' },
    { after: '2h', add: ['user:U2'] },
  ];
  const lead = rule({ approvers: 'user:U9', ladder });

  it('lets those whom it adds decide from their time on, and not before', async () => {
    await open(lead);
    fixture.pass(HOUR - 1);
    expect(await fixture.gate.requests.escalate()).toBe(1);
    await expect(fixture.say(carol)).rejects.toMatchObject({ refusal: 'not_allowed' });
    fixture.pass(1);
    expect(await fixture.gate.requests.escalate()).toBe(1);
    await expect(fixture.say(bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    await fixture.say(carol);
    expect((await fixture.call()).state).toBe('approved');
  });

  it('is on record with its times, and in the audit', async () => {
    await open(lead);
    const asked = fixture.time.now;
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    expect((await fixture.call()).timing).toMatchObject({
      nextRungAt: asked + 2 * HOUR,
      climbed: [
        { step: 0, at: asked + HOUR, remind: true, add: [] },
        { step: 0, at: asked + HOUR, remind: false, add: ['group:backup'] },
      ],
    });
    const entries = await fixture.store.query(auditEntries, 'byThread', { prefix: [THREAD] }, 100);
    expect(entries.items.map(({ value }) => value).filter(({ what }) => what === 'reminded')).toMatchObject([
      { actor: { id: 'system' }, details: { reminded: true, added: ['group:backup'] } },
    ]);
  });

  it('tells of every rung once, whoever sweeps and however often', async () => {
    await open(lead);
    fixture.pass(30 * MINUTE);
    const swept = await Promise.all(Array.from({ length: 5 }, () => fixture.gate.requests.escalate()));
    expect(swept.reduce((sum, count) => sum + count)).toBe(1);
    expect(await fixture.gate.requests.escalate()).toBe(0);
    expect(fixture.events.filter(({ type }) => type === 'reminded')).toHaveLength(1);
  });

  it('tells once of all calls that are due together', async () => {
    await open(lead, {}, ['c1', 'c2']);
    fixture.pass(30 * MINUTE);
    expect(await fixture.gate.requests.escalate()).toBe(2);
    expect(fixture.events.filter(({ type }) => type === 'reminded')).toMatchObject([{ calls: [{}, {}] }]);
  });

  it('is over with the deadline, and with the decision', async () => {
    await open(rule({ deadline: '1h', approvers: 'user:U9', ladder }));
    fixture.pass(HOUR);
    expect(await fixture.gate.requests.escalate()).toBe(0);
    await open(rule({ ladder: [{ after: '1h', add: '@backup' }] }));
    await fixture.say(ana);
    fixture.pass(2 * HOUR);
    expect(await fixture.gate.requests.escalate()).toBe(0);
  });

  it('begins anew with each step of a sequence, and adds nobody to another one', async () => {
    const sequence = [{ from: 'requester' }, { from: 'user:U9' }];
    await open(rule({ approvers: { sequence }, ladder: [{ after: '1h', add: '@backup' }] }));
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    await fixture.say(ana);
    await expect(fixture.say(carol)).rejects.toMatchObject({ refusal: 'not_allowed' });
    fixture.pass(HOUR);
    expect(await fixture.gate.requests.escalate()).toBe(1);
    await fixture.say(carol);
    expect((await fixture.call()).state).toBe('approved');
  });

  it('does not let whoever asked decide where the rule excludes them', async () => {
    const approvers = { from: 'user:U9', exclude_requester: true };
    await open(rule({ approvers, ladder: [{ after: '1h', add: 'user:U1' }] }));
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    await expect(fixture.say(ana)).rejects.toMatchObject({ refusal: 'not_allowed' });
  });

  it('counts no more for a call that an edit brought under another rule', async () => {
    const rules = [
      { name: 'big', tools: '*', when: { title: { equals: 'Retro' } }, action: 'ask', approvers: 'user:U9' },
      { name: 'rest', tools: '*', action: 'ask', ladder: [{ after: '1h', add: '@backup' }] },
    ];
    await open({ rules });
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    await fixture.say(carol, 'edit');
    expect((await fixture.call()).state).toBe('pending');
    await expect(fixture.say(carol)).rejects.toMatchObject({ refusal: 'not_allowed' });
  });

  it('counts working hours', async () => {
    const hours = { zone: 'Europe/Berlin', from: '10:00' };
    await open(rule({ working_hours: hours, ladder: [{ after: '30m', remind: true }] }));
    fixture.pass(89 * MINUTE);
    expect(await fixture.gate.requests.escalate()).toBe(0);
    fixture.pass(MINUTE);
    expect(await fixture.gate.requests.escalate()).toBe(1);
  });

  it('leaves the word of somebody whom it added valid when the call is sent', async () => {
    await open(lead);
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    await fixture.say(carol);
    expect((await fixture.begin()).kind).toBe('ready');
  });
});

describe('a call that is asked about again because one of two may not decide any more', () => {
  it('keeps the word of somebody whom the ladder added', async () => {
    const gone = new Set<string>();
    const approvers = { from: ['requester', 'user:U9'], quorum: 2 };
    await open(rule({ approvers, ladder: [{ after: '1h', add: ['@backup', 'user:U2'] }] }), {
      people: { ...people, standing: async (actor) => (gone.has(actor.id) ? 'deactivated' : 'member') },
    });
    fixture.pass(HOUR);
    await fixture.gate.requests.escalate();
    await fixture.say(ana);
    await fixture.say(carol);
    gone.add(ana.id);
    expect((await fixture.begin()).kind).toBe('waiting');
    await fixture.say(bob);
    expect((await fixture.begin()).kind).toBe('ready');
  });
});
