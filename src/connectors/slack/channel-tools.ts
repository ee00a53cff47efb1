import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import type { Api } from '../service/api.ts';
import { answers, inputs, KINDS, outputs, readNext, toChannel } from './schemas.ts';

export function registerChannels(server: McpServer, api: Api): void {
  server.registerTool(
    'list_channels',
    {
      title: 'List channels',
      description: 'Lists the channels that the person is in, and if asked for, their direct messages.',
      inputSchema: inputs.channels,
      outputSchema: outputs.channels,
      annotations: READS,
    },
    ({ kinds, limit, cursor }) =>
      answering('Nothing was read.', async () => {
        const types = kinds.map((kind) => KINDS[kind]).join(',');
        const asked = { query: { types, exclude_archived: true, limit, cursor } };
        const found = await api('/users.conversations', answers.channels, asked);
        const channels = found.channels.map(toChannel);
        const lines = channels.map(({ id, name, user }) => `\n- ${id} ${name ?? user ?? ''}`).join('');
        const page = { next_page: readNext(found.response_metadata) };
        return answer(`${channels.length} channels.${lines}`, { channels, ...page });
      }),
  );
  server.registerTool(
    'get_channel',
    {
      title: 'Get channel',
      description: 'Gives the name, the kind and the purpose of a channel, and how many are in it.',
      inputSchema: inputs.channel,
      outputSchema: outputs.channel,
      annotations: READS,
    },
    ({ channel: id }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { channel: id, include_num_members: true } };
        const channel = toChannel((await api('/conversations.info', answers.channel, asked)).channel);
        return answer(`${channel.name ?? channel.id} (${channel.kind})`, { channel });
      }),
  );
}
