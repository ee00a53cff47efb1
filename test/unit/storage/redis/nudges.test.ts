import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { closeRedis, connectRedis } from '../../../../src/storage/redis/client.ts';
import { redisNudges } from '../../../../src/storage/redis/nudges.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../helpers/redis.ts';

describe.skipIf(!hasRedis('nudges over Redis'))('nudges over Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  function open(sender: string) {
    const client = connectRedis(server.url);
    const nudges = redisNudges({ url: server.url, client, sender, log: { debug: () => undefined } });
    const heard: string[] = [];
    nudges.receive((lease) => void heard.push(lease));
    onTestFinished(async () => {
      nudges.close();
      await closeRedis(client);
    });
    /** Sends until the other has heard it: what is sent before a connection is there is lost. */
    const sendUntil = (isHeard: () => boolean, lease: string) =>
      expect
        .poll(
          () => {
            nudges.send(lease);
            return isHeard();
          },
          { timeout: 20_000, interval: 50 },
        )
        .toBe(true);
    return { client, nudges, heard, sendUntil };
  }

  it('reach every other process, and not the one that sends', async () => {
    const [one, two, three] = [open('one'), open('two'), open('three')];
    await one.sendUntil(() => two.heard.length > 0 && three.heard.length > 0, 'begun');
    one.nudges.send('slack:T1:C1:1.1');
    await expect.poll(() => [two.heard.at(-1), three.heard.at(-1)]).toEqual(Array(2).fill('slack:T1:C1:1.1'));
    expect(one.heard).toEqual([]);
  });

  it.each(['not JSON', 'null', '42', '{}', '[]', '["one",{}]', '[null,"lease"]'])(
    'ignore %s, which is none of ours',
    async (message) => {
      const [one, two] = [open('one'), open('two')];
      await one.sendUntil(() => two.heard.length > 0, 'before');
      await one.client.publish('{cs}:nudges', message);
      await one.sendUntil(() => two.heard.includes('after'), 'after');
      expect(new Set(two.heard)).toEqual(new Set(['before', 'after']));
    },
  );

  it('come again by themselves after Redis was away, without what was sent meanwhile', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.sendUntil(() => two.heard.length > 0, 'before');
    await server.stop();
    one.nudges.send('lost');
    await server.restart();
    await one.sendUntil(() => two.heard.includes('after'), 'after');
    expect(two.heard).not.toContain('lost');
  });
});
