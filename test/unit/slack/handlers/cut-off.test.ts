import { beforeEach, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { moreValue } from '../../../../src/slack/cards/action-values.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const KEY = callKey(THREAD, 'c1');

let slack: SlackApp;
beforeEach(async () => {
  slack = await openSlackApp();
});

async function ask(title: string): Promise<void> {
  slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args: { title } }] });
  await slack.network.say('make it');
}

it.each(['also', 'remember'] as const)(
  'a call that no card shows whole gets no form to approve it by the choice “%s”',
  async (choice) => {
    await ask(`${'All as agreed. '.repeat(300)}And pay double.`);
    await slack.click(ACTIONS.more, moreValue(choice, KEY));
    expect(slack.api.of('views.open')).toEqual([]);
    expect(slack.api.of('chat.postEphemeral')[0]?.text).toContain('There is more to it than fits here');
    expect((await slack.network.call('c1')).state).toBe('pending');
  },
);

it.each(['also', 'remember'] as const)(
  'a call that is shown whole gets a form to approve it by the choice “%s”',
  async (choice) => {
    await ask('Standup');
    await slack.click(ACTIONS.more, moreValue(choice, KEY));
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('Standup');
  },
);
