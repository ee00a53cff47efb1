import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { THREAD } from '../../../helpers/people.ts';
import { openSlackApp, type SlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';

const KEY = callKey(THREAD, 'c1');
const BOB = { user: { id: 'U2', team_id: TEAM } };

let slack: SlackApp;
let digest: string;

beforeEach(async () => {
  slack = await openSlackApp();
  slack.network.model.script({ calls: [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }] });
  await slack.network.say('make it');
  ({ digest } = await slack.network.call('c1'));
});

const to = (user: string): JsonObject => ({ person: { [INPUT]: { selected_user: user } } });
const remembered = (uses: string): JsonObject => ({
  what: { [INPUT]: { selected_option: { value: 'hand' } } },
  stay: { [INPUT]: { selected_options: [{ value: '0' }] } },
  place: { [INPUT]: { selected_option: { value: 'requester' } } },
  until: { [INPUT]: { selected_date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) } },
  uses: { [INPUT]: { value: uses } },
});

describe('approving and remembering', () => {
  it('approves, lists what is allowed, and says in the message when it is revoked', async () => {
    slack.network.model.script('Done.');
    expect(await slack.submit(MODALS.remember, { callKey: KEY, digest }, remembered('3'))).toEqual([null]);
    await slack.network.runs.idle();
    expect((await slack.network.call('c1')).state).toBe('succeeded');
    const [listed] = await slack.command('grants');
    expect(wordsIn(listed)).toContain('Create event');
    const [grant] = await slack.network.gate.grants.list('slack:T1:U1');
    await slack.click(ACTIONS.revokeGrant, grant?.grantId ?? '');
    expect(slack.api.of('chat.postEphemeral').at(-1)?.text).toContain(
      'Revoked. Create event (calendar.create_event) needs approval again.',
    );
    expect((await slack.network.gate.grants.list('slack:T1:U1'))[0]?.ended?.why).toBe('revoked');
  });

  it('is refused to somebody else, also with a made-up form', async () => {
    const [answer] = await slack.submit(MODALS.remember, { callKey: KEY, digest }, remembered('3'), BOB);
    expect(JSON.stringify(answer)).toContain('Only Ana may decide this');
    expect((await slack.network.call('c1')).state).toBe('pending');
    expect(await slack.network.gate.grants.list('slack:T1:U2')).toEqual([]);
  });

  it('binds to what was shown', async () => {
    const [answer] = await slack.submit(
      MODALS.remember,
      { callKey: KEY, digest: '0'.repeat(64) },
      remembered('3'),
    );
    expect(JSON.stringify(answer)).toContain('changed since it was shown');
    expect(await slack.network.gate.grants.list('slack:T1:U1')).toEqual([]);
  });

  it('keeps a form with a wrong number open', async () => {
    const [answer] = await slack.submit(MODALS.remember, { callKey: KEY, digest }, remembered('none'));
    expect(answer).toMatchObject({ response_action: 'errors', errors: { uses: expect.any(String) } });
    expect((await slack.network.call('c1')).state).toBe('pending');
  });

  it('of a grant of somebody else’s revokes nothing', async () => {
    slack.network.model.script('Done.');
    await slack.submit(MODALS.remember, { callKey: KEY, digest }, remembered('3'));
    await slack.network.runs.idle();
    const [grant] = await slack.network.gate.grants.list('slack:T1:U1');
    await slack.click(ACTIONS.revokeGrant, grant?.grantId ?? '', BOB);
    expect(slack.api.of('chat.postEphemeral').at(-1)?.text).toContain(
      'Only the person who gave a permission',
    );
    expect((await slack.network.gate.grants.list('slack:T1:U1'))[0]?.ended).toBeNull();
  });
});

describe('standing in', () => {
  it('is told to whom a call is handed', async () => {
    expect(await slack.submit(MODALS.handOver, { callKey: KEY, digest }, to('U2'))).toEqual([null]);
    await expect.poll(() => slack.api.of('chat.postMessage').at(-1)).toMatchObject({ channel: 'U2' });
    expect(slack.api.of('chat.postMessage').at(-1)?.text).toContain(
      'hands you a decision: Create event ‘Standup’ (calendar.create_event). It waits in your Home.',
    );
  });

  it('is told to who was named with a command, and to nobody when it was refused', async () => {
    const [refused] = await slack.command('delegate <@U1|ana> until tomorrow');
    expect(wordsIn(refused)).toContain('You can’t name yourself. Nothing was changed.');
    expect(slack.api.of('chat.postMessage')).toEqual([]);
    const [named] = await slack.command('delegate <@U2|bob> from today until tomorrow Off &amp; away');
    expect(wordsIn(named)).toContain('(Off & away).');
    await expect.poll(() => slack.api.of('chat.postMessage').at(-1)).toMatchObject({ channel: 'U2' });
  });

  it.each([
    ['delegate', 'To name somebody: /countersign delegate @bob until friday.'],
    [
      'delegate @bob until friday',
      'Slack knows nobody here by “@bob”. Type @ and choose the person from the list',
    ],
    [
      'delegate @bob until friday',
      'Nothing was changed. To name somebody: /countersign delegate @bob until friday.',
    ],
    [
      'delegate <!subteam^S1|@finance> until friday',
      "A user group can't decide in your place. Name one person.",
    ],
    [
      'delegate <@U2|bob>',
      "I didn't understand until when. Nothing was changed. To name somebody: /countersign",
    ],
    ['delegate <@U1|ana> until tomorrow', 'You can’t name yourself. Nothing was changed. To name somebody:'],
    ['delegate <@U2|bob> until soon', 'A day is today, tomorrow, a weekday, or a date'],
    ['delegate <@U2|bob> until 2001-01-01', 'That time has passed. Nothing was changed.'],
    ['delegate <@U2|bob> until 2999-01-01', 'a year at most'],
    ['grants', 'You have allowed nothing in advance.'],
  ])('“%s” is answered to the one who typed it', async (text, answer) => {
    const [said] = await slack.command(text);
    expect(wordsIn(said)).toContain(answer);
    expect(await slack.network.gate.delegation.from('slack:T1:U1')).toEqual([]);
  });

  it('ends at the word of who is away alone', async () => {
    await slack.command('delegate <@U2|bob> until tomorrow');
    const [delegation] = await slack.network.gate.delegation.from('slack:T1:U1');
    const id = delegation?.delegationId ?? '';
    await slack.click(`${ACTIONS.endDelegation}.${id}`, id, BOB);
    expect(await slack.network.gate.delegation.from('slack:T1:U1')).toHaveLength(1);
    await slack.click(`${ACTIONS.endDelegation}.${id}`, id);
    expect(await slack.network.gate.delegation.from('slack:T1:U1')).toEqual([]);
  });
});
