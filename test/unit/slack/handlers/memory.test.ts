import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FirstLearned } from '../../../../src/memory/ports.ts';
import type { Brought } from '../../../../src/slack/documents/collections.ts';
import { createTellFirst, describeFirst } from '../../../../src/slack/handlers/memory/tell-first.ts';
import { type MemoryView, memoryList } from '../../../../src/slack/home/memory.ts';
import { editMemoryModal } from '../../../../src/slack/modals/edit-memory.ts';
import { finds, said } from '../../../helpers/memory.ts';
import { BOT, CHANNEL, openSlackApp, type SlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';

const ANA = `slack:${TEAM}:U1`;
const BOB = `slack:${TEAM}:U2`;

let slack: SlackApp;
beforeEach(async () => {
  slack = await openSlackApp();
});

async function remember(text: string, personId = ANA): Promise<string> {
  const before = (await slack.memory.read(personId)).items.length;
  slack.memory.learn(said(text, { personId }), finds({ key: 'other', text, evidence: text }));
  await vi.waitFor(async () => expect((await slack.memory.read(personId)).items).toHaveLength(before + 1));
  return (await slack.memory.read(personId)).items[0]?.id ?? '';
}

const texts = async (personId = ANA) => (await slack.memory.read(personId)).items.map(({ text }) => text);
const inHome = { view: { id: 'V0', type: 'home', callback_id: 'home', private_metadata: '' } };

describe('what somebody clicks', () => {
  it.each(['edit', 'forget'])('reaches nothing of another person: %s', async (verb) => {
    const id = await remember('likes tea', BOB);
    await slack.click('memory.item', `${verb}:${id}`, inHome);
    expect(await texts(BOB)).toEqual(['likes tea']);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain('I no longer remember that');
  });

  it('opens the form with the text, and what is saved is one line', async () => {
    const id = await remember('likes tea');
    await slack.click('memory.item', `edit:${id}`, inHome);
    const form = JSON.stringify(slack.api.of('views.open')[0]?.view);
    expect(form).toContain('"initial_value":"likes tea"');
    expect(form).toContain('"max_length":200');
    await slack.submit(
      'memory.edit',
      { id },
      { text: { value: { type: 'plain_text_input', value: 'likes\ncake' } } },
    );
    expect(await texts()).toEqual(['likes cake']);
  });

  it('says that it is gone where it was forgotten while the form was open', async () => {
    const id = await remember('likes tea');
    await slack.memory.forget(ANA, id);
    const values = { text: { value: { type: 'plain_text_input', value: 'likes cake' } } };
    const [answer] = await slack.submit('memory.edit', { id }, values);
    expect(wordsIn(answer)).toContain('');
    expect(JSON.stringify(answer)).toContain('I no longer remember that, so nothing was changed.');
    expect(await texts()).toEqual([]);
  });

  it('turns it off and on, and forgets all, for them alone', async () => {
    await remember('likes tea');
    await remember('likes cake', BOB);
    await slack.click('memory.turn', 'off', inHome);
    expect(await slack.memory.recall(ANA, null)).toBe('turned_off');
    await slack.click('memory.turn', 'on', inHome);
    expect(await slack.memory.recall(ANA, null)).toMatchObject({ critical_facts: { other: ['likes tea'] } });
    await slack.click('memory.forget_all', 'all', inHome);
    expect([await texts(), await texts(BOB)]).toEqual([[], ['likes cake']]);
  });
});

describe('what is said', () => {
  it.each([
    ['on', 'from your next message on', 'What you tell me of yourself from then on I remember again.'],
    ['turned_off', 'once you turn it on again', 'It stays turned off, so I learn nothing of you'],
    ['not_here', 'I go by nothing of this', 'has turned this off for everybody, so I learn nothing'],
  ] as const)(
    'is what holds, in the form and in the dialog, where memory is %s',
    (mode, edited, forgotten) => {
      const item = { id: 'm', kind: 'preference', key: 'other', text: 'no lists', learnedAt: 1 } as const;
      expect(JSON.stringify(editMemoryModal(item, mode))).toContain(edited);
      const list = memoryList({ mode, items: [{ ...item, place: null, where: 'said to me directly' }] });
      expect(JSON.stringify(list.blocks)).toContain(forgotten);
    },
  );

  it('of those that the list of the command has no room for is how to get at them', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      ...{ id: `m${index}`, kind: 'preference', key: 'other', text: 'x'.repeat(200), learnedAt: 1 },
      ...{ place: null, where: 'said to me directly' },
    }));
    const words = wordsIn(memoryList({ mode: 'on', items: items as MemoryView['items'] }).blocks);
    expect(words).toMatch(/and 40 that you said before, which are listed as you have newer ones forgotten/);
  });

  it('is so in the form that is opened where it is turned off', async () => {
    const id = await remember('likes tea');
    await slack.click('memory.turn', 'off', inHome);
    await slack.click('memory.item', `edit:${id}`, inHome);
    expect(JSON.stringify(slack.api.of('views.open').at(-1)?.view)).toContain('once you turn it on again');
  });

  it('is that nothing was changed where it is off for everybody, and an old button turns it on', async () => {
    vi.spyOn(slack.memory, 'turn').mockResolvedValue(false);
    await slack.click('memory.turn', 'on', inHome);
    expect(wordsIn(slack.api.of('views.open')[0]?.view)).toContain(
      'off for everybody, so nothing was changed',
    );
  });
});

describe('a message', () => {
  const message = (fields: object) =>
    slack.event({
      ...{
        type: 'app_mention',
        channel: CHANNEL,
        channel_type: 'channel',
        user: 'U1',
        team: TEAM,
        ts: '5.000100',
      },
      ...fields,
    });
  const received = () => slack.network.runs.item(`slack:${TEAM}:${CHANNEL}:5.000100`);

  it('keeps what its sender wrote, without names that others chose', async () => {
    slack.network.model.script('Hello.');
    await message({ text: `<@${BOT}> ask <@U2> in <#C9|my name is Eve>` });
    expect(await received()).toMatchObject({
      text: 'ask @Bob (U2) in #my name is Eve (C9)',
      words: 'ask @U2 in #C9',
    });
  });

  it('keeps it without the names of files that came with it', async () => {
    slack.network.model.script('Hello.');
    const file = { name: 'my name is Eve.pdf', state: 'learning' };
    // The names are all that is read of them here.
    vi.spyOn(slack.ports.intake, 'take').mockResolvedValue([file as Brought]);
    await message({ text: `<@${BOT}> what is this?` });
    const item = await received();
    expect(item?.text).toContain('my name is Eve.pdf');
    expect(item?.words).toBe('what is this?');
  });
});

describe('the first time', () => {
  const learned = (threadId: string): FirstLearned => ({
    personId: ANA,
    threadId,
    items: [{ id: 'm', kind: 'critical_fact', key: 'user_name', text: 'Ana', learnedAt: 1, place: null }],
  });
  const tell = (threadId: string) =>
    createTellFirst({ client: slack.api.client, log: slack.ports.log })(learned(threadId));

  it('is told in the thread: to them alone in a channel, as a message where nobody else reads', async () => {
    expect(await tell(`slack:${TEAM}:C1:5.0`)).toBe(true);
    expect(await tell(`slack:${TEAM}:D1:6.0`)).toBe(true);
    expect(slack.api.of('chat.postEphemeral')).toMatchObject([
      { channel: 'C1', thread_ts: '5.0', user: 'U1' },
    ]);
    expect(slack.api.of('chat.postMessage')).toMatchObject([{ channel: 'D1', thread_ts: '6.0' }]);
  });

  it('is told directly where the thread takes nothing, and not where nothing is taken at all', async () => {
    slack.api.answers.set('chat.postEphemeral', () => ({ ok: false, error: 'is_archived' }));
    expect(await tell(`slack:${TEAM}:C1:5.0`)).toBe(true);
    expect(slack.api.of('chat.postMessage')).toMatchObject([{ channel: 'U1' }]);
    slack.api.answers.set('chat.postMessage', () => ({ ok: false, error: 'cannot_dm_bot' }));
    expect(await tell(`slack:${TEAM}:C1:5.0`)).toBe(false);
  });

  it('says how to be rid of it, however much there is', () => {
    const [item] = learned('').items;
    const items = Array.from(
      { length: 50 },
      () => ({ ...item, text: 'x'.repeat(200) }) as FirstLearned['items'][number],
    );
    const words = wordsIn(describeFirst(items).blocks);
    expect(words).toContain('• and 46 more');
    expect(words).toMatch(/I won’t tell you each time\.$/);
  });
});
