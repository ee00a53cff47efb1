import { describe, expect, it, vi } from 'vitest';
import { type Network, startNetwork } from '../../../helpers/network.ts';
import { type PlannedTask, teamGraphs, teamModel } from '../../../helpers/team.ts';

/** Long enough for a machine that is busy with other tests. */
const PATIENCE = { timeout: 20_000 };

/** A team of one agent for each task, each of which answers its model when the test lets it. */
function startTeam(tasks: readonly PlannedTask[]) {
  const lets = new Map(tasks.map(({ id }) => [id, Promise.withResolvers<void>()]));
  const { model, asked } = teamModel(tasks, (agent) => {
    const until = lets.get(agent)?.promise;
    return { text: `${agent} is done.`, ...(until && { until }) };
  });
  const agents = tasks.map(({ id }) => ({ name: id }));
  const network: Network = startNetwork({ model, graphs: teamGraphs(agents, () => network) });
  return {
    ...network,
    asked,
    let: (agent: string) => lets.get(agent)?.resolve(),
    /** Waits until these have asked the model, and no others. */
    untilAsked: (...wanted: readonly string[]) =>
      vi.waitFor(() => expect(asked.toSorted()).toEqual(['master', ...wanted].toSorted()), PATIENCE),
  };
}

describe('tasks that need nothing of each other', () => {
  it('ask their models at the same time', async () => {
    const team = startTeam([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    const itemId = await team.send('do it all', { graph: 'team' });
    // None has its answer yet.
    await team.untilAsked('a', 'b', 'c');
    for (const agent of ['c', 'a', 'b']) team.let(agent);
    await team.runs.idle();
    expect(await team.item(itemId)).toMatchObject({ state: 'answered', response: 'Composed.' });
    expect(team.asked).toHaveLength(5);
  });
});

describe('a task that needs another one', () => {
  it('begins once that has ended, although others of the earlier stage still work', async () => {
    const team = startTeam([{ id: 'a' }, { id: 'slow' }, { id: 'after', depends_on: ['a'] }]);
    const itemId = await team.send('do it all', { graph: 'team' });
    await team.untilAsked('a', 'slow');
    team.let('a');
    await team.untilAsked('a', 'slow', 'after');
    team.let('after');
    await vi.waitFor(async () => {
      const view = await team.runs.team(itemId);
      expect(view?.tasks.map(({ taskId, state }) => `${taskId} ${state}`)).toEqual([
        'a done',
        'slow works',
        'after done',
      ]);
    }, PATIENCE);
    expect(await team.item(itemId)).toMatchObject({ state: 'running' });
    team.let('slow');
    await team.runs.idle();
    expect(await team.item(itemId)).toMatchObject({ state: 'answered', response: 'Composed.' });
  });

  it('does not begin before all that it needs have ended', async () => {
    const team = startTeam([{ id: 'a' }, { id: 'b' }, { id: 'both', depends_on: ['a', 'b'] }]);
    const itemId = await team.send('do it all', { graph: 'team' });
    await team.untilAsked('a', 'b');
    team.let('b');
    await vi.waitFor(async () => {
      const view = await team.runs.team(itemId);
      expect(view?.tasks.find(({ taskId }) => taskId === 'b')?.state).toBe('done');
    }, PATIENCE);
    expect(team.asked).not.toContain('both');
    team.let('a');
    await team.untilAsked('a', 'b', 'both');
    team.let('both');
    await team.runs.idle();
    expect(await team.item(itemId)).toMatchObject({ state: 'answered' });
  });
});
