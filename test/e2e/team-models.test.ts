import { expect, it } from 'vitest';
import { post } from '../helpers/http-client.ts';
import { contentOf } from '../helpers/model-content.ts';
import { startTeamApp } from '../helpers/team-app.ts';

it('master, agents and composer are asked with their own prompts, models and temperatures', async () => {
  const { app, model, client, ...team } = await startTeamApp({
    agent: { instructions: 'We are Acme.' },
    team: {
      master: { prompt: 'Plan as little as you can.', model: 'model-of-master', temperature: 0.1 },
      composer: { prompt: 'Answer in verse.', model: 'model-of-composer', temperature: 1.5 },
      agents: {
        clerk: {
          description: 'Reads.',
          tools: ['ledger.*'],
          prompt: 'Round to cents.',
          model: 'model-of-clerk',
          temperature: 0.7,
        },
        usual: { description: 'Reads, too.', tools: ['ledger.*'] },
      },
    },
  });
  const answer = post(client, '/run', { thread_id: 't1', user_request: 'read it', agent: 'team' });
  await team.plans(
    { id: 'one', agent: 'clerk', task: 'Read it' },
    { id: 'two', agent: 'usual', task: 'Read it, too', depends_on: ['one'] },
  );
  await team.says('clerk', 'It is empty.');
  await team.says('usual', 'It is empty, too.');
  await team.says('composer', 'Nothing.');
  await answer;
  const asked = model.requests().map(({ model: name, temperature, messages }) => ({
    ...{ name, temperature },
    told: messages.slice(0, 1).map(contentOf).join(''),
  }));
  const prompts = ['Plan as little as you can.', 'Round to cents.', 'Answer in verse.'];
  expect(
    asked.map(({ name, temperature, told }) => ({
      ...{ name, temperature },
      prompts: prompts.filter((prompt) => told.includes(prompt)),
    })),
  ).toEqual([
    { name: 'model-of-master', temperature: 0.1, prompts: [prompts[0]] },
    { name: 'model-of-clerk', temperature: 0.7, prompts: [prompts[1]] },
    { name: 'gpt-5-mini', temperature: undefined, prompts: [] },
    { name: 'model-of-composer', temperature: 1.5, prompts: [prompts[2]] },
  ]);
  expect(asked.map(({ told }) => told.includes('We are Acme.'))).toEqual([true, true, true, true]);
}, 60_000);
