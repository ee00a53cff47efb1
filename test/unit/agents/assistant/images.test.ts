import type { BaseMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import type { Content } from '../../../../src/gate/types.ts';
import { createFakeHub, ended } from '../../../helpers/fake-hub.ts';
import { type Network, startNetwork } from '../../../helpers/network.ts';
import { type Reply, ScriptedModel } from '../../../helpers/scripted-model.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and the rest', 'latin1');
const GIF = Buffer.from('GIF89a and the rest', 'latin1');
const TEXT = Buffer.from('<svg/>');

const image = (name: string, size = 20, mimeType = 'image/png'): Content => ({
  ...{ type: 'image', data: '', mimeType },
  kept: { name, size },
});

/** A network whose `cal.read_pictures` answers with these, and whose model sees. */
function seeing(content: readonly Content[], replies: readonly Reply[], read: string[] = []): Network {
  const stored = new Map([
    ['png', PNG],
    ['gif', GIF],
    ['text', TEXT],
  ]);
  return startNetwork({
    model: new ScriptedModel(replies),
    hub: createFakeHub({
      ...{ server: 'cal', name: 'read_pictures' },
      run: () => ended({ status: 'succeeded', content: [...content], structured: null }),
    }),
    agentPorts: (ports) => ({
      ...ports,
      tools: {
        ...ports.tools,
        readImage: async (_threadId, { name }) => {
          read.push(name);
          return stored.get(name.replace(/\d+$/, '')) ?? null;
        },
      },
    }),
  });
}

const call = [{ name: 'read_pictures', args: {} }];
/** The addresses of the images in what the model was shown. */
const shown = (messages: readonly BaseMessage[] = []) =>
  [...JSON.stringify(messages.map(({ content }) => content)).matchAll(/data:(image\/\w+);base64,/g)].map(
    ([, type]) => type,
  );

test.each<[string, readonly Content[], readonly string[]]>([
  ['two kinds', [image('png'), image('gif')], ['image/png', 'image/gif']],
  ['one whose type is wrong', [image('gif', 20, 'image/png')], ['image/gif']],
  ['one that is no image', [image('text', 20, 'image/png')], []],
  ['one that was deleted', [image('gone')], []],
  ['one that is too large', [image('png', 4_000_001)], []],
  ['one in a resource', [{ ...image('png'), type: 'resource', uri: 'x://1' } as Content], ['image/png']],
  ['ten', Array.from({ length: 10 }, (_, at) => image(`png${at}`)), Array(8).fill('image/png')],
  [
    'five of 4 MB',
    Array.from({ length: 5 }, (_, at) => image(`png${at}`, 4_000_000)),
    Array(4).fill('image/png'),
  ],
])('of results with %s, the model is shown what it can read', async (_what, content, types) => {
  const network = seeing(content, [{ calls: call }, 'Seen.']);
  await network.say('what is it?');
  expect(shown(network.model.seen[1])).toEqual(types);
});

test('they stand in a message of their own after all results, and are not kept in the conversation', async () => {
  const network = seeing([image('png')], [{ calls: [...call, ...call] }, 'Seen.']);
  await network.say('what is it?');
  const types = network.model.seen[1]?.map((message) => message.getType());
  expect(types?.slice(-3)).toEqual(['tool', 'tool', 'human']);
  expect(network.model.seen[1]?.at(-1)?.text).toContain('Of the result of read_pictures (call ');
  expect(JSON.stringify(await network.messages())).not.toContain('base64');
});

test('a provider that refuses the images is asked once more without them', async () => {
  const refused = { error: Object.assign(new Error('no images'), { status: 400 }) };
  const network = seeing([image('png')], [{ calls: call }, refused, 'I cannot see it.']);
  expect(await network.say('what is it?')).toMatchObject({ state: 'answered', response: 'I cannot see it.' });
  expect(network.model.seen.map((messages) => shown(messages).length)).toEqual([0, 1, 0]);
});

test('a conversation that is too long also without the images is shortened to what the person said last', async () => {
  const tooLong = { error: Object.assign(new Error('context length exceeded'), { status: 400 }) };
  const network = seeing([image('png')], ['Hi.', { calls: call }, tooLong, tooLong, 'Seen.']);
  await network.say(`hello ${'again '.repeat(8_000)}`);
  expect(await network.say('what is it?')).toMatchObject({ response: 'Seen.' });
  const last = network.model.seen.at(-1) ?? [];
  expect(last.map((message) => message.getType())).toEqual(['system', 'human', 'human', 'ai', 'tool']);
  expect(last[2]?.text).toMatch(/\nwhat is it\?$/);
});

test('a provider that has no room for the images is asked without them', async () => {
  const tooLong = { error: Object.assign(new Error('context length exceeded'), { status: 400 }) };
  const network = seeing([image('png')], [{ calls: call }, tooLong, 'I cannot see it.']);
  expect(await network.say('what is it?')).toMatchObject({ response: 'I cannot see it.' });
  expect(network.model.seen.map((messages) => shown(messages).length)).toEqual([0, 1, 0]);
});
