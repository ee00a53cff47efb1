import { expect, it } from 'vitest';
import { compileEvaluation, compilePolicy } from '../../../src/gate/policy/evaluate.ts';
import { type Policy, policySchema } from '../../../src/gate/policy/schema.ts';
import { type ReplayedCall, replayPolicy } from '../../../src/gate/replay-policy.ts';
import { calls } from '../../../src/gate/store/collections.ts';
import { type CallRecord, recordKey } from '../../../src/gate/types.ts';
import { put, type Store } from '../../../src/storage/store.ts';
import { createEvent, openGate, opening, proposed } from '../../helpers/gate.ts';

const never = () => false;

async function replay(
  store: Store,
  policy: Policy,
  { isUnfit = never, from = null }: { isUnfit?: (call: object) => boolean; from?: number | null } = {},
): Promise<ReplayedCall[]> {
  const evaluate = compilePolicy(policy);
  const replayed: ReplayedCall[] = [];
  for await (const one of replayPolicy({ store, evaluate, risk: null, isUnfit }, { from, before: null }))
    replayed.push(one);
  return replayed;
}

/** A gate with one call of each title, all of which people are asked about. */
async function asked(...titles: readonly string[]) {
  const world = openGate();
  const fence = await world.fence();
  await world.gate.requests.open(
    opening(fence, ...titles.map((title, at) => ({ ...proposed(`c${at}`), arguments: { title } }))),
  );
  return world;
}

it('says what would have run, been asked about otherwise, or been refused, and what stays', async () => {
  const { store } = await asked('Standup', 'Lunch', 'Board', 'Layoffs');
  const about = (title: string) => ({ title: { equals: title } });
  const policy = policySchema.parse({
    rules: [
      { name: 'standups', tools: 'calendar.*', action: 'allow', when: about('Standup') },
      {
        name: 'the board',
        tools: 'calendar.*',
        action: 'ask',
        when: about('Board'),
        approvers: { from: '@leads' },
      },
      { name: 'never', tools: 'calendar.*', action: 'deny', when: about('Layoffs') },
    ],
  });
  const replayed = await replay(store, policy);
  const found = replayed.map(({ call, was, verdict, isOtherwise }) => [
    call.proposedArguments.title,
    `${was} → ${verdict.action} by ${verdict.rule}`,
    isOtherwise,
  ]);
  expect(found.toSorted()).toEqual([
    ['Board', 'ask → ask by the board', true],
    ['Layoffs', 'ask → deny by never', true],
    ['Lunch', 'ask → ask by default', false],
    ['Standup', 'ask → allow by standups', true],
  ]);
});

it('goes by what was proposed, whatever people made of it', async () => {
  const { store } = await asked('Standup');
  const [stored] = (await store.query(calls, 'byTime', {}, 1)).items;
  if (!stored) throw new Error('there is no call');
  const edited: CallRecord = { ...stored.value, arguments: { title: 'Lunch' } };
  await store.commit({ put: [put(calls, stored.id, edited)] });
  const lunches = policySchema.parse({
    rules: [{ tools: '*.*', action: 'deny', when: { title: { equals: 'Lunch' } } }],
  });
  expect((await replay(store, lunches)).map(({ isOtherwise }) => isOtherwise)).toEqual([false]);
});

it('refuses what does not fit the arguments that the policy demands, whatever its rules say', async () => {
  const { store } = await asked('Standup');
  const all = policySchema.parse({ rules: [{ tools: '*.*', action: 'allow' }] });
  const [one] = await replay(store, all, { isUnfit: () => true });
  expect(one).toMatchObject({ was: 'ask', verdict: { action: 'deny' }, isOtherwise: true });
});

it('leaves out questions, what programs may not call, and what is older', async () => {
  const { store, time } = await asked('Standup');
  const [{ value: call } = { value: null }] = (await store.query(calls, 'byTime', {}, 1)).items;
  if (!call) throw new Error('there is no call');
  const others: readonly CallRecord[] = [
    { ...call, callId: 'question', kind: 'question' },
    { ...call, callId: 'program', verdict: { ...call.verdict, action: 'deny', rule: 'programs' } },
    { ...call, callId: 'old', proposedAt: time.now - 1 },
  ];
  await store.commit({ put: others.map((it) => put(calls, recordKey(it), it)) });
  const replayed = await replay(store, policySchema.parse({}), { from: time.now });
  expect(replayed.map(({ call: { callId } }) => callId)).toEqual(['c0']);
});

it('says of 10,000 calls what asking about each says, in less than five seconds', async () => {
  const { store } = await asked('Standup');
  const [{ value: call } = { value: null }] = (await store.query(calls, 'byTime', {}, 1)).items;
  if (!call) throw new Error('there is no call');
  const many = Array.from({ length: 9_999 }, (_, at): CallRecord => {
    const tool = { ...createEvent, name: ['create_event', 'delete_event', 'list_events'][at % 3] ?? '' };
    const args = { title: `Event ${at % 7}`, guests: at % 50 };
    return { ...call, callId: `n${at}`, tool, arguments: args, proposedArguments: args, proposedAt: at };
  });
  for (let at = 0; at < many.length; at += 1_000) {
    await store.commit({ put: many.slice(at, at + 1_000).map((it) => put(calls, recordKey(it), it)) });
  }
  const policy = policySchema.parse({
    default: 'deny',
    rules: [
      { tools: '*.list_*', action: 'allow' },
      { tools: '*.delete_*', action: 'deny', when: { title: { equals: 'Event 3' } } },
      { tools: 'calendar.*', action: 'allow', when: { guests: { at_most: 10 } } },
      { tools: 'calendar.create_*', action: 'ask' },
    ],
  });
  const askAbout = compileEvaluation(policy);
  const before = process.cpuUsage();
  const replayed = await replay(store, policy);
  const { user, system } = process.cpuUsage(before);
  expect(replayed).toHaveLength(10_000);
  // Of this process, in microseconds: what else the machine does is no matter.
  expect(user + system).toBeLessThan(5_000_000);
  const differing = replayed.filter(({ call: { tool, proposedArguments }, verdict }) => {
    const alone = askAbout({ server: tool.server, tool: tool.name, arguments: proposedArguments }).verdict;
    return alone.action !== verdict.action || alone.rule !== verdict.rule;
  });
  expect(differing).toEqual([]);
  const actions = new Set(replayed.map(({ verdict }) => verdict.action));
  expect([...actions].toSorted()).toEqual(['allow', 'ask', 'deny']);
});
