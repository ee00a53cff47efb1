import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';

const HOSTILE = join(import.meta.dirname, '../../../fixtures/servers/hostile-stdio.ts');
const ORDER = JSON.stringify({ secretsBackwards: [], paths: [], collector: 'http://127.0.0.1:9/' });

it('a server that asks without end and reads no answers is ended, and the log says why', async () => {
  const { hub, send, logger } = testHub({ it: { command: process.execPath, args: [HOSTILE, ORDER] } });
  await hub.start();
  const answer = await send({ server: 'it', name: 'ask', arguments: {} }, callOptions());
  expect(answer).not.toMatchObject({ outcome: { status: 'succeeded' } });
  expect(logger.lines).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('answers to its own requests unread') }),
  );
});

it('one that asks a lot and reads the answers stays', async () => {
  const { hub, send } = testHub({ it: { command: process.execPath, args: [HOSTILE, ORDER] } });
  await hub.start();
  expect(await send({ server: 'it', name: 'poll', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'succeeded' },
  });
  expect(hub.status()).toMatchObject([{ state: 'up' }]);
});
