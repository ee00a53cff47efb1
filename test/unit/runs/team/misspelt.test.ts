import { expect, it } from 'vitest';
import { type Network, startNetwork } from '../../../helpers/network.ts';
import { teamGraphs, teamModel } from '../../../helpers/team.ts';

type Proposed = { readonly name: string; readonly args: Readonly<Record<string, string>> };

/** What becomes of a task whose agent makes these calls, one after the other. */
async function taskOf(...calls: readonly Proposed[]) {
  let made = 0;
  const { model } = teamModel([{ id: 'reads' }], () => {
    const next = calls[made];
    made += 1;
    return next ? [{ id: `c${made}`, ...next }] : 'It is read.';
  });
  const network: Network = startNetwork({ model, graphs: teamGraphs([{ name: 'reads' }], () => network) });
  const itemId = await network.send('read it', { graph: 'team' });
  await network.runs.idle();
  return (await network.runs.team(itemId))?.tasks[0]?.state;
}

const read = { name: 'list_events', args: {} };

it.each([
  ['a name that is nearly right', { name: 'list_evnts', args: {} }],
  ['another name, with the same arguments', { name: 'get_the_calendar', args: {} }],
])('a task whose agent called %s, and then the tool, is done', async (_what, misspelt) => {
  expect(await taskOf(misspelt, read)).toBe('done');
});

it.each([
  ['no tool', { name: 'list_evnts', args: {} }, null, 'not_done'],
  ['something else', { name: 'send_invoice', args: { to: 'bob' } }, read, 'partly'],
])(
  'a task whose agent called no tool that there is, and then %s, is not all done',
  async (_what, misspelt, then, state) => {
    expect(await taskOf(misspelt, ...(then ? [then] : []))).toBe(state);
  },
);
