import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startTestApp } from '../helpers/app.ts';
import { serverEntry } from '../helpers/dialogue-servers.ts';
import { startModel } from '../helpers/model.ts';

/** What `agent.max_calls_per_answer` is unless set. */
const MOST_STEPS = 32;

const add = (entry: unknown, more: object = {}) => ({
  tool: 'ledger__add_entry',
  arguments: { entry },
  ...more,
});
const rows = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

let model: Awaited<ReturnType<typeof startModel>>;
let app: Awaited<ReturnType<typeof startTestApp>>;
beforeAll(async () => {
  model = await startModel();
  const mcpServers = await serverEntry('ledger', { trusted: true, folder: () => '' });
  app = await startTestApp({ file: { routes: { dm: 'planner' }, mcpServers }, modelUrl: model.url });
});
afterAll(async () => {
  model.giveUp();
  await app.stopApp();
  await model.stop();
  await app.remove();
});

/** Begins a conversation, whose messages are then waited for. */
function ask(text: string) {
  const { driver } = app;
  const ana = driver.as('ana');
  const threadTs = ana.dm(text);
  const messages = () => driver.messages(ana.dmChannel, { threadTs }).filter(({ byApp }) => byApp);
  return {
    reply: (words: string) => ana.dm(words, { threadTs }),
    /** The message with these words, once it's there. */
    see: (words: string) =>
      driver.waitUntil(() => messages().find((message) => driver.text(message).includes(words))),
    all: () => messages().map((message) => driver.text(message)),
    click: async (button: string) =>
      ana.click(
        await driver.waitUntil(() => messages().find((message) => driver.text(message).includes(button))),
        button,
      ),
  };
}

const plan = (steps: unknown, title: unknown = 'A plan', id?: string) =>
  model.calls([
    {
      name: 'make_plan',
      arguments: JSON.parse(JSON.stringify({ title, steps })),
      ...(id !== undefined && { id }),
    },
  ]);
const nothingRan = () => expect(effectsIn(app.folder)).toEqual({});

describe('a plan that cannot be shown to people goes back to the model, and in the end they learn why:', () => {
  it.each<[string, unknown, string]>([
    ['no steps', [], 'a plan has at least one step'],
    ['steps that are no list', 'enter it', 'expected array'],
    ['200 steps', rows(200, (at) => add(`run ${at}`)), `${MOST_STEPS} steps at most, and this one has 200`],
    [
      'one step and 200 that come later',
      [add('a'), ...rows(200, (at) => add(`run ${at}`, { needs_result_of: [1] }))],
      `${MOST_STEPS} steps at most, and this one has 201`,
    ],
    [
      'steps that need each other',
      [add('a', { needs: [2] }), add('b', { needs: [1] })],
      'must name steps before this one',
    ],
    ['a step that needs itself', [add('a', { needs_result_of: [1] })], 'must name steps before this one'],
    [
      'a tool that there is not',
      [{ tool: 'ledger__burn', arguments: {} }],
      'there is no tool called ledger__burn',
    ],
    ['a tool without a name', [{ tool: '', arguments: {} }], 'steps[0].tool'],
    ['arguments that do not fit', [add(7)], 'entry must be'],
    ['arguments that there are not', [add('a', { arguments: { entry: 'a', force: true } })], 'force'],
    ['arguments that are no object', [add('a', { arguments: '{"entry":"a"}' })], 'must be an object'],
    ['thirty wrong steps', rows(30, () => add(7)), 'And 22 more steps have problems.'],
    [
      'a tool with a name of 4 kB',
      [{ tool: 'x'.repeat(4096), arguments: {} }],
      'there is no tool called xxx',
    ],
  ])('%s', async (_what, steps, why) => {
    const thread = ask('do it');
    for (let round = 0; round < 3; round += 1) await plan(steps);
    await thread.see(why);
    const [answer = '', ...others] = thread.all();
    expect(others).toEqual([]);
    expect(answer).toContain('I tried three times and could not get the arguments right');
    expect(answer.length).toBeLessThan(4_000);
    nothingRan();
  });

  it('one without a title', async () => {
    const thread = ask('do it');
    for (let round = 0; round < 3; round += 1) await plan([add('a')], '   ');
    await thread.see('could not get the arguments right');
    nothingRan();
  });

  it('the same id twice is no obstacle, and each plan is shown once', async () => {
    const thread = ask('do it');
    await plan([add(7)], 'First', 'same');
    await plan([add('rent'), add('power')], 'Second', 'same');
    await thread.see('Plan: “Second”');
    await thread.click('Reject all (2)');
    await plan([add('gas'), add('water')], 'Third', 'same');
    await thread.see('Plan: “Third”');
    await thread.click('Reject all (2)');
    await model.says('I leave it.');
    await thread.see('I leave it.');
    nothingRan();
  });
});

describe('a plan that is odd and can be shown waits, whole:', () => {
  it.each<[string, string, string, string]>([
    ['arguments of 4 kB', 'x'.repeat(4096), 'Long', 'xxxx'],
    ['text from right to left', 'שלם 100 לבוב', 'תשלום \u202Egnihton', 'שלם 100 לבוב'],
  ])('%s', async (_what, entry, title, shown) => {
    const thread = ask('do it');
    await plan([add(entry), add('rent')], title);
    const card = app.driver.text(await thread.see('[Review 2…]'));
    expect(card).toContain(shown);
    // What turns text round is shown, and doesn't.
    expect(card).not.toContain('\u202E');
    nothingRan();
    await thread.click('Reject all (2)');
    await model.says('I leave it.');
    await thread.see('I leave it.');
    nothingRan();
  });
});

const UNCLEAR = ['not sure', 'later', '👍?', 'ok, but not now'];

describe('an answer that is unclear runs nothing', () => {
  it.each(UNCLEAR)('beside a waiting plan: %s', async (words) => {
    const thread = ask('do it');
    await plan([add('rent'), add('power')]);
    await thread.see('[Review 2…]');
    thread.reply(words);
    await thread.see('Your message is kept.');
    nothingRan();
    await thread.click('Reject all (2)');
    // What was kept is answered in its turn, by the model, which runs nothing either without asking.
    await model.says('Neither was done.');
    await model.says('As you like.');
    await thread.see('As you like.');
    nothingRan();
  });

  it.each(UNCLEAR)('to a question before a plan: %s', async (words) => {
    const thread = ask('enter the rent');
    await model.calls([{ name: 'ask_user', arguments: { question: 'Which rent?' } }]);
    await thread.see('Which rent?');
    thread.reply(words);
    expect(await model.heard()).toContain(words);
    await plan([add('rent')]);
    await thread.see('[Review 1…]');
    nothingRan();
  });
});
