import { expect, it } from 'vitest';
import { startNetwork } from '../../../helpers/network.ts';
import { ana } from '../../../helpers/people.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

it('a message beside a long conversation is answered with its record, which names what waits, and joins it', async () => {
  const model = new ScriptedModel((messages) => {
    const words = messages.at(-1)?.text ?? '';
    if (words.endsWith('\nmake a standup'))
      return [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }];
    return `Noted. ${'It is so. '.repeat(60)}`;
  });
  const network = startNetwork({
    model,
    agentPorts: (ports) => ({ ...ports, limits: { ...ports.limits, contextTokens: 5_000 } }),
  });
  for (let turn = 1; turn <= 20; turn += 1) await network.say(`turn ${turn}: ${'hello '.repeat(60)}`);
  await network.say('make a standup');
  const { itemId } = await network.say('what do I have today?');
  await network.runs.runBeside(itemId, ana);
  await network.runs.idle();
  const sent = (model.seen.at(-1) ?? []).map(({ text }) => text);
  expect(sent[1]).toMatch(/^The system’s record/);
  expect(sent.join('\n')).toContain('Not run yet: it waits for people');
  const { beside = '' } = await network.item(itemId);
  for (let turn = 1; turn <= 10; turn += 1)
    await network.say(`beside ${turn}: ${'hello '.repeat(60)}`, { threadId: beside });
  expect(model.seen.at(-1)?.[1]?.text).toMatch(
    /\| create_event \{"title":"Standup"\}: "Not run yet: it waits for people/,
  );
  await network.decide('c1');
  expect((await network.item(itemId)).state).toBe('answered');
  await network.expectWhole();
});
