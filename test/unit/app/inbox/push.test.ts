import { expect, it, vi } from 'vitest';
import { createPushMounts } from '../../../../src/app/inbox/push.ts';
import { loadConnectors } from '../../../../src/connectors/index.ts';
import type { Logger } from '../../../../src/lib/logger.ts';
import { parseServers } from '../../../../src/mcp/config/load.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { SERVICE_ACCOUNT, TOPIC } from '../../../helpers/pubsub.ts';

const URL_HERE = 'https://us.test';

async function open() {
  const push = { topic: TOPIC, service_account: SERVICE_ACCOUNT };
  const gmail = { connector: 'gmail', oauth: { client_id: 'none', client_secret: 'none' }, push };
  const servers = parseServers({ gmail }, {}, 'countersign.yaml');
  const warn = vi.fn<Logger['warn']>();
  const [mount] = createPushMounts({
    ...{ servers, connectors: await loadConnectors(servers), url: () => URL_HERE, isAtWork: true },
    ...{ inbox: { lookSoon: async () => undefined, work: [] }, log: { warn } },
  });
  /** From anybody, so many times. */
  const refuse = async (times: number, headers: Record<string, string> = {}) => {
    for (let time = 0; time < times; time += 1) {
      await mount?.handle(new Request(`${URL_HERE}/push/gmail`, { method: 'POST', headers }));
    }
  };
  return { warn, refuse };
}

it('logs refused requests at once and then once a minute, with how many there were of each status', async () => {
  fakeTimers(Date.now());
  const { warn, refuse } = await open();
  await refuse(1);
  expect(warn.mock.calls).toEqual([[{ server: 'gmail', statuses: { 401: 1 } }, 'refused pushes']]);
  await refuse(500);
  await refuse(3, { 'content-length': '2000000' });
  vi.advanceTimersByTime(59_000);
  expect(warn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(warn.mock.calls[1]?.[0]).toEqual({ server: 'gmail', statuses: { 401: 500, 413: 3 } });
  await refuse(1);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(warn).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(warn.mock.calls[2]?.[0]).toEqual({ server: 'gmail', statuses: { 401: 1 } });
});
