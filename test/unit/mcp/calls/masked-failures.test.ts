import { expect, test } from 'vitest';
import { callOptions, fixture, testHub } from '../../../fixtures/mcp/harness.ts';

test.each(['failed', 'thrown'])(
  'a call that %s tells nobody the key that its server was given',
  async (how) => {
    const { hub, send } = testHub({
      maps: { ...fixture('quotes-its-key.ts'), env: { MAPS_KEY: 'a-key-that-nobody-reads' } },
    });
    await hub.start();
    const call = { server: 'maps', name: 'locate', arguments: { how } };
    const result = await send(call, callOptions());
    expect(result).toMatchObject({
      outcome: { status: 'failed', message: expect.stringContaining('maps.example/?key=$MAPS_KEY failed') },
    });
    expect(JSON.stringify(result)).not.toContain('nobody-reads');
  },
);
