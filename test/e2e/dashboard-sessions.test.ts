import { expect, it } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

/** The app in which Ana has asked for an event in a channel and in her direct messages; Bob is an admin. */
async function start() {
  const { app, driver, model } = await startAppWithModel({
    web: true,
    file: {
      admins: ['U0BOB00001'],
      mcpServers: { calendar: { in_process: 'calendar' } },
    },
  });
  const ana = driver.as('ana');
  const ask = async (title: string) => {
    const event = { calendar_id: 'team', title, start: '2026-11-24T09:00' };
    await model.calls([{ name: 'calendar__create_event', arguments: event }]);
    return driver.waitForMessage((it) => driver.text(it).includes(`‘${title}’`));
  };
  ana.post('general', '@countersign plan our standup for Tuesday, and tell everybody');
  const card = await ask('Standup');
  ana.dm('plan my dentist');
  await ask('Dentist');
  const see = async (who: string, path: string) => {
    const visitor = createVisitor();
    return { visitor, page: await signIn(visitor, app, who, `${app.publicUrl}/dashboard${path}`) };
  };
  return { driver, card, see };
}

it('lists calls with the sentence that heads their cards', async () => {
  const { driver, card, see } = await start();
  const sentence = /Create event ‘Standup’[^\n(·]*/.exec(driver.text(card))?.[0].trim() ?? '';
  expect(sentence).not.toBe('');
  const { page } = await see('ana', '/calls');
  expect(page.text).toContain(`calendar.create_event\n${sentence}`);
});

it('lists sessions by where they are and how they began', async () => {
  const { see } = await start();
  const { visitor, page } = await see('ana', '/sessions');
  const name = '#general: “plan our standup for Tuesday, and tell everybody”';
  expect(page.text).toContain(name);
  expect(page.text).toContain('Direct message: “plan my dentist”');
  const timeline = await visitor.follow(page, name);
  expect(timeline.html).toContain(`<h1>${name}</h1>`);
  expect(timeline.text).toContain('Create event ‘Standup’');
});
