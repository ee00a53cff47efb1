import { describe, expect, it, vi } from 'vitest';
import { isTooDeep, truncateDepth } from '../../../../src/lib/json.ts';
import { callOptions, fixture, testHub } from '../../../fixtures/mcp/harness.ts';

async function connected(...args: string[]) {
  const { hub, send, logger } = testHub({ it: fixture('deep.ts', ...args) });
  await hub.start();
  const call = (name: string) => send({ server: 'it', name, arguments: {} }, callOptions());
  return { hub, call, logger };
}

describe('JSON of 20,000 levels', () => {
  it('in an answer is cut, and the answer says so', async () => {
    const { call } = await connected();
    const result = await call('answer');
    expect(result).toMatchObject({
      outcome: {
        status: 'succeeded',
        content: [{ text: '[What lies more than 100 levels deep in this answer is left out.]' }],
        structured: { id: 'evt_1', more: { a: { a: {} } } },
      },
    });
    expect(JSON.stringify(result)).toContain('"[left out: too deep]"');
  });

  it('in a form is put to nobody, and the server hears why', async () => {
    const { call } = await connected();
    expect(JSON.stringify(await call('ask'))).toContain('asks for more than can be shown; nobody was asked');
  });

  it('in what it logs is cut', async () => {
    const { call, logger } = await connected();
    await call('log');
    const logged = () => logger.lines.filter(({ message }) => message === 'server logs');
    await vi.waitUntil(() => logged().length === 1);
    expect(logged()[0]?.details).toMatchObject({ says: expect.stringContaining('{"a":{"a":') });
  });

  it.each(['keyword', 'property'] as const)(
    'in a %s of a tool leaves that tool out, and the log says so',
    async (where) => {
      const { hub, logger } = await connected(where);
      expect((await hub.tools()).map(({ name }) => name)).toEqual(['answer', 'ask', 'log']);
      expect(hub.status()).toMatchObject([{ state: 'up', toolCount: 3 }]);
      expect(logger.lines).toContainEqual({
        details: { server: 'it', tool: 'deep', reason: 'It is described in more than 100 levels.' },
        message: 'tool left out',
      });
    },
  );
});

describe('what is not too deep', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: [nested(levels - 2)] });

  it('has a hundred levels at most, and stays as it is', () => {
    expect(isTooDeep(nested(100))).toBe(false);
    expect(truncateDepth(nested(100))).toEqual(nested(100));
    expect(isTooDeep(nested(102))).toBe(true);
    expect(isTooDeep(truncateDepth(nested(102)))).toBe(false);
  });
});
