import { expect, it, onTestFinished } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';

it('asks Slack once who is in a group and a channel, however many pages are open, and leaves decisions room', async () => {
  const { app, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    slack: { rates: 'strict' },
    file: {
      programs: { env: { title: 'Builder', for: 'U0CAROL001', channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'agent.*', action: 'ask', approvers: ['@finance', 'channel'] }] },
      mcpServers: {},
    },
  });
  const users = [driver.as('ana').id, driver.as('bob').id];
  driver.setUsergroup({ id: 'S0FINANCE', handle: 'finance', name: 'finance', users });
  const pages: { readonly told: () => number }[] = [];
  for (const who of ['ana', 'bob']) {
    const visitor = createVisitor();
    await signIn(visitor, app, who, `${app.publicUrl}/dashboard`);
    const cookies = visitor.jar.get(new URL(app.publicUrl).host) ?? new Map<string, string>();
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (let page = 0; page < 5; page += 1) pages.push(await openPage(app.publicUrl, cookie));
  }
  const begin = (name: string) =>
    fetch(`${app.url}/agent/begin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, args_summary: `for ${name}`, timeout_s: 60 }),
    }).then((answer) => answer.json());
  const begun: Promise<{ readonly approved: boolean }>[] = [];
  for (let round = 1; round <= 6; round += 1) {
    const before = pages.map(({ told }) => told());
    begun.push(begin(`work_${round}`));
    await expect
      .poll(() => pages.every(({ told }, index) => told() > (before[index] ?? 0)), { timeout: 20_000 })
      .toBe(true);
  }
  // Sixty looks and more, in less than a minute: Slack takes 20 a minute of the first two, and 100 of the third.
  const count = (method: string) => driver.calls(method).length;
  expect(count('usergroups.list')).toBeLessThanOrEqual(2);
  expect(count('usergroups.users.list')).toBe(0);
  // None for the pages; one for each member of the group with each new card, as those who can't see it are told.
  expect(count('conversations.members')).toBeLessThanOrEqual(users.length * begun.length);

  const card = await driver.waitForMessage((message) => driver.text(message).includes('for work_1'));
  await driver.as('bob').click(card, 'Approve');
  expect(await begun[0]).toMatchObject({ approved: true });
});

/** An open page of the dashboard, as far as it hears what has changed. */
async function openPage(publicUrl: string, cookie: string) {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const { body } = await fetch(`${publicUrl}/dashboard/events`, {
    headers: { cookie },
    signal: closing.signal,
  });
  let told = 0;
  const read = async () => {
    for await (const chunk of body ?? []) told += Buffer.from(chunk).includes('data:') ? 1 : 0;
  };
  read().catch(() => undefined);
  return { told: () => told };
}
