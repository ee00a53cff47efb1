import { expect, it } from 'vitest';
import { httpServerSchema } from '../../../../src/mcp/config/schema.ts';
import { createTokenNote } from '../../../../src/mcp/connection/token-note.ts';

const config = httpServerSchema.parse({
  url: 'https://mcp.example/mcp',
  headers: {
    Authorization: 'Bearer written-into-the-file-1',
    'X-Api-Key': 'another-written-key-2',
    Cookie: 'session=a-written-session-3',
    Accept: 'text/plain',
  },
});

it('the token of a person’s sign-in is masked from its first use on', async () => {
  const tokens = ['first-token-of-ana', 'second-token-of-ana'];
  const note = createTokenNote({ token: async () => tokens.shift() }, config);
  expect(note.mask()('first-token-of-ana')).toBe('first-token-of-ana');
  await note.authProvider?.token();
  expect(note.mask()('it was first-token-of-ana')).toBe('it was $SIGN_IN_TOKEN');
  await note.authProvider?.token();
  expect(note.mask()('it is second-token-of-ana')).toBe('it is $SIGN_IN_TOKEN');
});

it('what authenticates every request is masked, and no other header', () => {
  const mask = createTokenNote(undefined, config).mask();
  expect(mask('written-into-the-file-1 another-written-key-2 session=a-written-session-3 text/plain')).toBe(
    '$Authorization $X-Api-Key $Cookie text/plain',
  );
});
