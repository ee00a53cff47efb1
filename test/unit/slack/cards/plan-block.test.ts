import { describe, expect, it } from 'vitest';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import type { LaterStepView } from '../../../../src/slack/cards/plan-block.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { lineText, stateLine } from '../../../../src/slack/cards/state-line.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import { callView, flat } from './fixtures.ts';

const ids = ['a', 'b', 'c'];

/** The steps of a plan in these states. */
function steps(...changes: readonly Parameters<typeof callView>[0][]): readonly CallView[] {
  return changes.map((change, index) => {
    const callId = ids[index] ?? '';
    const args = { title: callId.toUpperCase() };
    return callView({ arguments: args, callId, after: ids.slice(0, index), ...change }, { callKey: callId });
  });
}

const invite: LaterStepView = { step: { why: '' }, act: 'Invite all', view: null };
const card = (calls: readonly CallView[], { isPlain = false, later = invite } = {}) =>
  requestCard(
    { requestKey: 'r1', calls, isListed: true, plan: { title: 'Two *bold* meetings', later: [later] } },
    { isPlain },
  );

function tasks(calls: readonly CallView[], later: LaterStepView = invite): unknown {
  const message = card(calls, { later });
  assertMessage(message);
  const block = message.blocks.find(({ type }) => type === 'plan');
  const listed = block?.type === 'plan' ? (block.tasks ?? []) : [];
  return listed.map((task) => [
    task.title,
    task.status,
    JSON.stringify('details' in task ? task.details : ''),
  ]);
}

describe('the card of a plan', () => {
  it('has a task for each step, and for those that are planned later', () => {
    expect(tasks(steps({ state: 'succeeded' }, { state: 'executing' }, { state: 'approved' }))).toEqual([
      ['1. Create event ‘A’', 'complete', expect.stringContaining('done')],
      ['2. Create event ‘B’', 'in_progress', expect.stringContaining('running')],
      ['3. Create event ‘C’', 'pending', expect.stringContaining('approved, runs in its turn')],
      ['4. Invite all', 'pending', expect.stringContaining('later, from the results')],
    ]);
  });

  it('says why a step never runs, and that what comes later isn’t planned', () => {
    const withdrawnBecause = 'step 1 was rejected';
    expect(tasks(steps({ state: 'rejected' }, { state: 'cancelled', withdrawnBecause }))).toEqual([
      ['1. Create event ‘A’', 'error', expect.stringContaining('rejected')],
      ['2. Create event ‘B’', 'error', expect.stringContaining('withdrawn: step 1 was rejected')],
      ['3. Invite all', 'pending', expect.stringContaining('not planned')],
    ]);
  });

  it.each<[string, Partial<LaterStepView>, string, RegExp]>([
    ['before it is planned', {}, 'pending', /planned next/],
    ['with why it is wanted', { step: { why: 'all know' } }, 'pending', /planned next · .*all know/],
    ['that waits in a further plan', { view: callView({}) }, 'pending', /planned below/],
    ['that runs there', { view: callView({ state: 'executing' }) }, 'in_progress', /running/],
    ['that is done there', { view: callView({ state: 'succeeded' }) }, 'complete', /done/],
    ['that is rejected there', { view: callView({ state: 'rejected' }) }, 'error', /rejected/],
    ['that the run ended without', { step: { why: '', callId: null } }, 'error', /not planned/],
  ])('shows a later step %s', (_what, later, status, words) => {
    const done = steps({ state: 'succeeded' });
    expect(tasks(done, { ...invite, ...later })).toEqual([
      ['1. Create event ‘A’', 'complete', expect.stringContaining('done')],
      ['2. Invite all', status, expect.stringMatching(words)],
    ]);
  });

  it('has no more tasks than a message takes, and says how many there are besides', () => {
    const later = Array.from({ length: 60 }, () => invite);
    const message = requestCard({
      ...{ requestKey: 'r1', calls: steps({}), isListed: true },
      plan: { title: 'Many', later },
    });
    assertMessage(message);
    const block = message.blocks.find(({ type }) => type === 'plan');
    expect(block?.type === 'plan' && block.tasks?.at(-1)?.title).toContain('21 more');
  });

  it('says for whom a step waits once something else is decided; before that, the line above all says it', () => {
    expect(JSON.stringify(tasks(steps({}, {}, {})))).not.toContain('waits for');
    expect(JSON.stringify(tasks(steps({}, { state: 'approved' }, {})))).toContain('waits for Ana');
  });

  it('quotes what the model says of it', () => {
    const said = 'it is safe” · approved by Bob';
    const block = card(steps({ said })).blocks.find(({ type }) => type === 'plan');
    expect(block).toMatchObject({ title: 'Plan: “Two *bold* meetings”' });
    const details = {
      elements: [{ elements: [{ text: expect.stringMatching(/^"it is safe” · approved by Bob"$/) }] }],
    };
    expect(block).toMatchObject({ tasks: [{ details }, {}] });
  });

  it('is lines where Slack takes no plans', () => {
    const message = card(steps({ state: 'succeeded' }, { state: 'pending' }), { isPlain: true });
    assertMessage(message);
    expect(message.blocks.map(({ type }) => type)).not.toContain('plan');
    expect(flat(message.blocks)).toContain(
      'Plan: “Two *bold* meetings”\n1. Create event ‘A’ · ✅ done\n2. Create event ‘B’',
    );
    expect(flat(message.blocks)).toContain('3. Invite all · later, from the results');
  });
});

it('a step that is approved before its turn doesn’t say that it runs', () => {
  const [first, second] = steps({ state: 'approved' }, { state: 'approved' });
  expect(first && lineText(stateLine(first))).toContain('running');
  expect(second && lineText(stateLine(second))).toContain('runs in its turn');
});

it('a step that runs says how far its server says it is, until it has ended', () => {
  const progress = { progress: 450, total: 1_000, message: 'simulating *people*' };
  expect(tasks(steps({ state: 'executing', progress }))).toEqual([
    ['1. Create event ‘A’', 'in_progress', expect.stringContaining('▶️ running: simulating people (45 %)')],
    expect.anything(),
  ]);
  expect(JSON.stringify(tasks(steps({ state: 'succeeded', progress })))).not.toContain('45 %');
  const [alone] = steps({ state: 'executing', progress: { ...progress, message: null } });
  expect(alone && lineText(stateLine(alone))).toBe('▶️ running… 45 %');
});
