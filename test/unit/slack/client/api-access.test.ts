import { expect, it } from 'vitest';
import { createApiClient } from '../../../../src/slack/client/api-access.ts';
import { startWorkspace } from '../../../helpers/workspace.ts';

async function openClient(token?: string) {
  const workspace = await startWorkspace();
  const logged: string[] = [];
  const say = (_details: object, message: string) => void logged.push(message);
  const log = { error: say, warn: say, info: say, debug: say };
  const limits = { take: () => 0, rest() {} };
  return {
    ...createApiClient(
      token ?? workspace.botToken,
      { apiUrl: workspace.apiUrl, timeoutMs: 10_000, log },
      limits,
    ),
    driver: workspace.driver,
    logged,
  };
}

it('an app that was removed is known by any answer, logged once, and over with the next call that succeeds', async () => {
  const { client, access, driver, logged } = await openClient();
  await client.users.info({ user: 'U0ANA00001' });
  expect(access.problem()).toBeNull();
  driver.install(false);
  for (let call = 0; call < 2; call += 1) {
    await expect(client.chat.postMessage({ channel: 'C0GENERAL1', text: 'hi' })).rejects.toThrow();
  }
  expect(access.problem()).toContain('Install it again');
  expect(logged).toEqual([access.problem()]);
  driver.install(true);
  await client.chat.postMessage({ channel: 'C0GENERAL1', text: 'hi' });
  expect(access.problem()).toBeNull();
  expect(logged.at(-1)).toBe('Slack accepts the app again');
});

it('a token that Slack does not know names its variable, and the token itself nowhere', async () => {
  const { client, access, logged } = await openClient('xoxb-nobody');
  await expect(client.auth.test()).rejects.toThrow();
  expect(access.problem()).toContain('SLACK_BOT_TOKEN');
  expect(logged.join()).not.toContain('xoxb-nobody');
});

it('a refusal of one call, such as for a missing scope, is none of the app', async () => {
  const { client, access, driver } = await openClient();
  driver.fault({ method: 'users.info', times: 1, kind: 'error', error: 'missing_scope' });
  await expect(client.users.info({ user: 'U0ANA00001' })).rejects.toThrow();
  await expect(client.chat.postMessage({ channel: 'C0RANDOM01', text: 'hi' })).rejects.toThrow();
  expect(access.problem()).toBeNull();
});

it('Slack is asked again only while it refuses the app', async () => {
  const { access, recheck, driver } = await openClient();
  await recheck.runNow();
  expect(driver.calls('auth.test')).toEqual([]);
  access.refused('app_uninstalled');
  await recheck.runNow();
  expect(driver.calls('auth.test')).toHaveLength(1);
  expect(access.problem()).toBeNull();
});
