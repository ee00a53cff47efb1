import { expect, it } from 'vitest';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { taskItemId } from '../../src/runs/team/ids.ts';
import { put } from '../../src/storage/store.ts';
import { type Network, startNetwork } from '../helpers/network.ts';
import { teamGraphs, teamModel } from '../helpers/team.ts';
import { callRecord } from '../unit/slack/cards/fixtures.ts';
import { NOT_TOLD } from './model.ts';
import { callsSentFor, proposedAnew, violationsOfTeams } from './team-invariants.ts';

/** A plan that was carried out: `after` needs `before`. */
async function carriedOut() {
  const tasks = [{ id: 'before' }, { id: 'after', depends_on: ['before'] }];
  const { model } = teamModel(tasks, (agent) => ({ text: `${agent} is “done”.` }));
  const agents = tasks.map(({ id }) => ({ name: id }));
  const network: Network = startNetwork({ model, graphs: teamGraphs(agents, () => network) });
  const itemId = await network.send('do it all', { graph: 'team' });
  await network.runs.idle();
  const { store } = network;
  const read = async (id: string) => {
    const stored = await store.get(mailbox, id);
    if (!stored) throw new Error(`There is no message ${id}.`);
    return stored.value;
  };
  return {
    itemId,
    read,
    idOf: (taskId: string, attempt = 1) => taskItemId(itemId, taskId, attempt),
    write: (item: Awaited<ReturnType<typeof read>>) =>
      store.commit({ put: [put(mailbox, item.itemId, item)] }),
    violations: () => violationsOfTeams({ storage: { store } }),
  };
}

it('a plan that was carried out as it should be breaks nothing', async () => {
  const { violations } = await carriedOut();
  expect(await violations()).toEqual([]);
});

it('a task that began before one that it needs had ended is found', async () => {
  const { idOf, read, write, violations } = await carriedOut();
  const item = await read(idOf('after'));
  const lines = item.text.split('\n').filter((line) => !line.includes('"before"'));
  await write({ ...item, text: lines.join('\n') });
  expect(await violations()).toEqual(['task after was begun before before had ended']);
});

it('a task that was told otherwise of one than that ended is found', async () => {
  const { idOf, read, write, violations } = await carriedOut();
  await write({ ...(await read(idOf('before'))), response: 'It failed.' });
  expect(await violations()).toMatchObject([expect.stringContaining('which ended with It failed.')]);
});

it('an answer before all tasks have ended is found', async () => {
  const { itemId, idOf, read, write, violations } = await carriedOut();
  await write({ ...(await read(idOf('after'))), state: 'running' });
  expect(await violations()).toEqual([`${itemId} is answered, and its task after is running`]);
});

it('an answer of a composer that was not told of a task is found', async () => {
  const { itemId, read, write, violations } = await carriedOut();
  const response = `Composed.\n${NOT_TOLD} "after".`;
  await write({ ...(await read(itemId)), response });
  expect(await violations()).toEqual([`${itemId}: ${response}`]);
});

it('a task that was begun again for no reason, and too often, is found', async () => {
  const { idOf, read, write, violations } = await carriedOut();
  await write({ ...(await read(idOf('after'))), itemId: idOf('after', 2) });
  expect(await violations()).toEqual([
    'task after was begun 2 times',
    'task after was begun again when it was answered',
  ]);
});

it('what a task that was begun again has proposed anew is told from what its other runs have', () => {
  const task = { threadId: 't', itemId: 'i', taskId: 'enter', agent: 'clerk', title: 'Enter it' };
  const of = (runId: string, entry: string, more: Partial<CallRecord> = {}) =>
    callRecord({ callId: `${runId}:${entry}`, runId, arguments: { entry }, task, ...more });
  const [first, again] = [of('run-1', 'a'), of('run-2', 'a')];
  const others = [of('run-1', 'b'), of('run-2', 'a', { task: { ...task, taskId: 'other' } })];
  const alone = of('run-1', 'a', { task: undefined });
  expect(proposedAnew(first, [first, again, ...others])).toEqual([again]);
  expect(proposedAnew(first, [first, ...others])).toEqual([]);
  expect(proposedAnew(alone, [alone, again])).toEqual([]);
});

it('what happened is held against the calls on record for the same entry that were sent', () => {
  const found = [
    callRecord({ callId: 'first', arguments: { entry: 'a' }, intentAt: null }),
    callRecord({ callId: 'again', arguments: { entry: 'a' }, intentAt: 1 }),
    callRecord({ callId: 'other', arguments: { entry: 'b' }, intentAt: null }),
  ];
  expect(callsSentFor(found, 'a')).toBe(1);
  expect(callsSentFor(found, 'b')).toBe(0);
  expect(callsSentFor(found, undefined)).toBe(0);
});
