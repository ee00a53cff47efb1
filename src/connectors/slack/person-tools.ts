import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import type { Api } from '../service/api.ts';
import { findPerson } from './people.ts';
import { answers, inputs, outputs, toPerson } from './schemas.ts';

export function registerPeople(server: McpServer, api: Api): void {
  server.registerTool(
    'get_person',
    {
      title: 'Get person',
      description: 'Gives who somebody is, by id, e-mail address or name.',
      inputSchema: inputs.person,
      outputSchema: outputs.person,
      annotations: READS,
    },
    ({ person: given }) =>
      answering('Nothing was read.', async () => {
        const person = toPerson(await findPerson(api, given));
        return answer(`${person.name} (${person.id})`, { person });
      }),
  );
  server.registerTool(
    'send_direct_message',
    {
      title: 'Send direct message',
      description:
        'Sends somebody a direct message, as the person. Of somebody known by name alone, get_person gives the id.',
      inputSchema: inputs.directMessage,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    ({ person: given, text }) =>
      answering('Nothing was sent.', async () => {
        const person = toPerson(await findPerson(api, given));
        // It shows nobody anything, and the same one is opened again: docs.slack.dev/reference/methods/conversations.open
        const opened = await api('/conversations.open', answers.opened, {
          method: 'POST',
          body: { users: person.id },
          isRead: true,
        });
        const body = { channel: opened.channel.id, text };
        const { channel, ts } = await api('/chat.postMessage', answers.posted, { method: 'POST', body });
        return answer(`Sent to ${person.name} (${person.id}).`, { person: person.id, channel, ts });
      }),
  );
}
