import { expect, it } from 'vitest';
import { readOwner, warningsFor } from '../../../src/connectors/gmail/conversation.ts';
import { answers } from '../../../src/connectors/gmail/schemas.ts';
import type { Api } from '../../../src/connectors/service/api.ts';

it('a mail under the name that the account has, from elsewhere, is marked, whatever its To says', async () => {
  const settings = {
    sendAs: [
      { sendAsEmail: 'garden@example.com', displayName: '' },
      { sendAsEmail: 'Ana@example.com', displayName: 'Ana Almeida', isPrimary: true },
    ],
  };
  const api: Api = async (_path, schema) => schema.parse(settings);
  const owner = await readOwner(api);
  const from = (value: string) => {
    const headers = [
      { name: 'From', value },
      { name: 'To', value: 'Eve Evil <ana@example.com>' },
    ];
    return answers.message.parse({ id: 'm1', threadId: 'm1', payload: { headers } });
  };
  expect(warningsFor(from('Almeida, Ana <ceo@evil.test>'), owner, [])).toEqual([
    'The name is that of ana@example.com but it comes from ceo@evil.test',
  ]);
  expect(warningsFor(from('Eve Evil <eve@evil.test>'), owner, [])).toEqual([]);
});
