import { App } from '@slack/bolt';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { Listeners } from '../../../../src/slack/handlers/listeners.ts';
import { quiet } from '../../../helpers/workspace.ts';

function listening() {
  const app = new App({
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    authorize: async () => ({ botToken: 'xoxb-test' }),
    logger: quiet,
  });
  const on = new Listeners(app);
  const heard: string[] = [];
  const hear =
    (name: string) =>
    async ({ ack }: { ack(): Promise<void> }) => {
      heard.push(name);
      await ack();
    };
  on.click('page', hear('page'));
  on.click('page.*', hear('page.*'));
  on.click('other', hear('other'));
  on.form('form', hear('form'));
  async function send(body: JsonObject) {
    heard.length = 0;
    let acks = 0;
    await app.processEvent({
      body: { team: { id: 'T1' }, user: { id: 'U1' }, ...body },
      ack: async () => {
        acks += 1;
      },
    });
    return { heard: [...heard], acks };
  }
  return { on, send };
}

const click = (action_id: string) => ({ type: 'block_actions', actions: [{ type: 'button', action_id }] });
const form = (type: string, callback_id: string) => ({
  type,
  view: { callback_id, app_installed_team_id: 'T1' },
});

it.each([
  ['a button by its id', click('page'), ['page']],
  ['a button by how its id begins', click('page.2'), ['page.*']],
  ['no button by a part of its id', click('pages'), []],
  ['no button that nobody listens to', click('constructor'), []],
  ['a form that was sent', form('view_submission', 'form'), ['form']],
  ['no form that was closed', form('view_closed', 'form'), []],
  ['no form that nobody listens to', form('view_submission', 'other'), []],
])('a listener hears %s, and what nobody heard is not acknowledged', async (_what, body, expected) => {
  const { heard, acks } = await listening().send(body);
  expect(heard).toEqual(expected);
  expect(acks).toBe(expected.length);
});

it('no two listeners are for the same', () => {
  const { on } = listening();
  expect(() => on.click('other', async () => {})).toThrow('two listeners for other');
});
