import { expect, test } from 'vitest';
import { createSend } from '../../../../src/mcp/calls/send.ts';
import { SignInRequiredError } from '../../../../src/oauth/challenge.ts';
import { callOptions, collectingLogger } from '../../../fixtures/mcp/harness.ts';
import { ANA, said } from '../../../fixtures/oauth/instance.ts';

const leak = () => new TypeError('cannot read "token-1234" at /srv/app');

/** What becomes of a call whose connection, or sign-in, goes wrong in a way that nobody foresaw. */
async function sent(acquired: unknown, server = 'tasks', name = 'list_tasks') {
  const log = collectingLogger();
  const send = createSend({
    acquire: () => Promise.reject(acquired),
    requestSignIn: () => Promise.reject(leak()),
    log,
  });
  return { said: said(await send({ server, name, arguments: {}, person: ANA }, callOptions())), log };
}

const unforeseen = 'failed: I could not connect to tasks; nothing was done. Try again; the log says why.';

test.each([
  ['a connection that cannot be made', leak(), 'tasks', 'list_tasks', unforeseen],
  ['a connection to be made first', leak(), 'countersign', 'connect_tasks', unforeseen],
  [
    'a sign-in that cannot be asked for',
    new SignInRequiredError('tasks', { scope: null, resourceMetadataUrl: null }),
    'tasks',
    'list_tasks',
    'failed: tasks wants a sign-in, and beginning it failed; nothing was done. Try again; the log says why.',
  ],
])(
  'of %s, people and the model hear a plain sentence, and the log what it was',
  async (_what, error, server, name, words) => {
    const { said, log } = await sent(error, server, name);
    expect(said).toBe(words);
    expect(log.lines).toMatchObject([{ details: { server: 'tasks', error: 'TypeError' } }]);
  },
);
