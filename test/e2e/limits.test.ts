import { expect, onTestFinished, test, vi } from 'vitest';
import { startAppWithModel, startTestApp } from '../helpers/app.ts';
import { readMetrics } from '../helpers/metrics.ts';

const KEY = 'a-key-that-has-conversations-2718';
const ANA = 'U0ANA00001';

/** The whole app whose only admin is Ana, with a key that may begin one conversation a day. */
async function start() {
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: { admins: [ANA], limits: { key: { runs_per_day: 1 } }, mcpServers: {} },
  });
  const run = async () => {
    const response = await fetch(`${app.url}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ thread_id: 't', user_request: 'hello' }),
    });
    return response.status;
  };
  const answered = async () => {
    const running = run();
    await model.says('Hello.');
    expect(await running).toBe(200);
  };
  const useUp = async () => {
    await answered();
    expect(await run()).toBe(429);
  };
  const card = () =>
    driver.waitForMessage((it) => driver.text(it).includes('API key env has used today’s 1 message.'));
  return { app, driver, run, answered, useUp, card };
}

test('a key whose runs are used up has admins asked, and goes on once one of them has allowed more', async () => {
  const { driver, answered, useUp, card } = await start();
  await useUp();
  await driver.as(ANA).click(await card(), 'Allow 1 more message today');
  await driver.waitForMessage((it) => driver.text(it).includes('Ana allowed 1 more message'));
  await answered();
});

test('a scrape tells how full limits are, and the tokens of the model', async () => {
  const { app, useUp } = await start();
  const scrape = async () => {
    const response = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    return readMetrics(await response.text());
  };
  // It's counted from the first scrape.
  await scrape();
  await useUp();
  const runs = { kind: 'key', measure: 'runs' };
  const now = await vi.waitFor(
    async () => {
      const told = await scrape();
      expect(told.value('countersign_limits_used_up', runs)).toBe(1);
      return told;
    },
    { timeout: 15_000 },
  );
  expect(now.value('countersign_limit_used', runs)).toBe(1);
  expect(now.value('countersign_limit_allowed', runs)).toBe(1);
  const output = { model: 'main', kind: 'output' };
  expect(now.value('countersign_model_tokens_total', output)).toBeGreaterThan(0);
});

test('the Home of whoever allowed more there says what was allowed, and takes it back', async () => {
  const { driver, run, useUp, card } = await start();
  await useUp();
  await card();
  const ana = driver.as(ANA);
  const home = () => JSON.stringify(ana.home()?.blocks ?? []);
  // What was used is recorded every few seconds.
  const open = async () => JSON.stringify((await ana.openHome()).blocks);
  await expect.poll(open, { timeout: 15_000 }).toContain('API key env: Allow 1 more message today');
  await ana.useElement('API key env: Allow 1 more message today', undefined, ana.home());
  await expect
    .poll(home, { timeout: 10_000 })
    .toContain('API key env: Ana allowed 1 more message, until midnight UTC.');
  await ana.useElement('Take it back', undefined, ana.home());
  await expect.poll(home, { timeout: 10_000 }).not.toContain('Take it back');
  expect(await run()).toBe(429);
});

test('what is allowed and taken back over HTTP is on the card of every admin, and in what the person was told', async () => {
  const admins = ['U0BOB00001', 'U0CAROL001'];
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: { admins, limits: { person: { runs_per_day: 1 } }, mcpServers: {} },
  });
  const ask = async (path: string, body: object | null) => {
    const response = await fetch(`${app.url}/api/limits${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const inDm = (user: string, words: string) =>
    driver.waitForMessage(
      (it) => it.channel === driver.as(user).dmChannel && driver.text(it).includes(words),
    );
  driver.as(ANA).dm('hello');
  await model.says('Hello.');
  driver.as(ANA).dm('hello again');
  const before = await Promise.all(admins.map((admin) => inDm(admin, 'Ana has used')));
  const now = (pattern: RegExp) =>
    expect
      .poll(() => before.map(({ channel, ts }) => driver.text(driver.message(channel, ts))), {
        timeout: 10_000,
      })
      .toEqual(admins.map(() => expect.stringMatching(pattern)));
  await now(/Allow 1 more message today.*Leave it/s);
  await expect.poll(async () => (await ask('', null)).body.limits, { timeout: 15_000 }).toHaveLength(1);
  const limit = (await ask('', null)).body.limits[0];
  const about = { kind: limit.kind, id: limit.id, measure: limit.measure, question: limit.question };
  expect((await ask('/extensions', { ...about, amount: 5 })).status).toBe(200);
  await now(/allowed 5 more messages, until midnight UTC\.(?!.*Leave it).*Take it back/s);
  const told = await inDm(ANA, 'has allowed you 5 more messages today.');
  // Another admin clicks on the card as it was before, and the app is started anew in between.
  const [first] = before;
  if (first) await driver.as('U0BOB00001').clickStale(first, 'Allow 1 more message today');
  await driver.waitForMessage((it) => driver.text(it).includes('has answered this. Nothing was changed.'));
  await app.restart();
  expect((await ask('', null)).body.limits).toMatchObject([{ limit: 6, question: 2 }]);
  expect((await ask('/extensions/take-back', about)).status).toBe(200);
  await now(/took it back: the limit counts as before\.(?!.*\[)/s);
  await expect
    .poll(() => driver.text(driver.message(told.channel, told.ts)), { timeout: 10_000 })
    .toContain('took back what you were allowed besides');
});

test('the card that asks admins comes after all if Slack took none when the limit was used up, and over a restart', async () => {
  const { app, driver, useUp, card } = await start();
  driver.fault({ method: 'chat.postMessage', times: 3, kind: 'rate_limited', retryAfter: 1 });
  await useUp();
  await app.restart();
  expect(
    driver.messages((await card()).channel).filter((it) => driver.text(it).includes('has used')),
  ).toHaveLength(1);
});

test('whoever has used up their calls is told so in words that are for them, and hears when an admin allows more', async () => {
  const app = await startTestApp({
    modelUrl: null,
    file: {
      admins: ['U0CAROL001'],
      limits: { person: { calls_per_day: 1 } },
      policy: { rules: [{ tools: 'calendar.list_*', action: 'allow' }] },
      mcpServers: { calendar: { in_process: 'calendar' } },
    },
  });
  onTestFinished(async () => {
    await app.stopApp();
    await app.remove();
  });
  const { driver } = app;
  const said = (words: string) => driver.waitForMessage((it) => driver.text(it).includes(words));
  driver.as(ANA).dm('what is on my calendar tomorrow?');
  await said('tomorrow');
  driver.as(ANA).dm('what is on my calendar on Friday?');
  const refused = driver.text(await said("Today's limit of 1 tool call for one person is reached."));
  expect(refused).not.toContain('Tell the person');
  await driver
    .as('U0CAROL001')
    .click(await said('Ana has used today’s 1 tool call'), 'Allow 1 more tool call today');
  await said('has allowed you 1 more tool call today.');
});

test.each([
  ['tokens of the model', { tokens_per_day: 1 }, 'Allow 1 more token'],
  ['money', { cost_per_day: 0.000001 }, 'Allow $'],
])('%s that are used up are refused, and allowed by an admin’s card', async (_what, limit, button) => {
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      admins: [ANA],
      limits: { key: limit },
      model_prices: { '*': { input: 1, output: 1 } },
      mcpServers: {},
    },
  });
  const run = () =>
    fetch(`${app.url}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ thread_id: 't', user_request: 'hello' }),
    });
  const first = run();
  await model.says('Hello.');
  expect((await first).status).toBe(200);
  expect((await run()).status).toBe(429);
  const card = await driver.waitForMessage((it) => driver.text(it).includes('API key env has used'));
  const label = /\[(Allow [^\]]+)\]/.exec(driver.text(card))?.[1] ?? '';
  expect(label).toContain(button);
  await driver.as(ANA).click(card, label);
  await driver.waitForMessage((it) => driver.text(it).includes('Ana allowed'));
});
