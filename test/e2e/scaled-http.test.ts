import { describe, expect, it } from 'vitest';
import { startCluster } from '../helpers/cluster.ts';
import { callsOf, envelopeOf, post } from '../helpers/http-client.ts';
import { hasRedis } from '../helpers/redis.ts';

const SLOW = 180_000;
const KEY = '8f2b11c07d3ae6954b0cd7f1a92e6d38';
const FILES = Array.from({ length: 6 }, (_, index) => `file${index}.txt`);

describe.skipIf(!hasRedis('the HTTP API of several processes'))('one web and two worker processes', () => {
  it('answer over HTTP, and run what is approved once, though one worker is killed while people decide', {
    timeout: SLOW,
  }, async () => {
    const { driver, start, ledger, release } = await startCluster();
    const [web, first, second] = await Promise.all([
      start('web', { COUNTERSIGN_API_KEY: KEY }),
      start('worker'),
      start('worker'),
    ]);
    await driver.waitForApp();
    const client = { url: (await web.ready()).apiUrl, key: KEY };
    const asked = await Promise.all(
      FILES.map(async (file) => {
        const body = { thread_id: file, user_request: `write hello to ${file}` };
        return envelopeOf(await post(client, '/run', body));
      }),
    );
    expect(asked.map(({ http, status }) => [http, status])).toEqual(
      FILES.map(() => [202, 'confirmation_required']),
    );

    await first.end('SIGKILL');
    release();
    const answers = await Promise.all(
      asked.map(async (envelope) => {
        const approvals = callsOf(envelope).map(({ call_id }) => ({ call_id, approved: true }));
        return envelopeOf(await post(client, '/resume', { thread_id: envelope.thread_id, approvals }));
      }),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ http: 200, status: 'success', pending_action: null });
      expect(answer.response).toContain('Done: write file.');
    }
    expect(ledger().toSorted()).toEqual(FILES.map((file) => `${file}: hello`));

    // Asked again, whoever has it now gives what is recorded: nothing runs twice.
    const [envelope] = asked;
    const approvals = envelope ? callsOf(envelope).map(({ call_id }) => ({ call_id, approved: true })) : [];
    const again = await post(client, '/resume', { thread_id: FILES[0], approvals });
    expect(again.status).toBe(409);
    expect(ledger()).toHaveLength(FILES.length);
    for (const running of [web, second]) {
      expect(await running.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  });
});
