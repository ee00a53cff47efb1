import { beforeEach, describe, expect, it } from 'vitest';
import { createPlanner } from '../../../../src/agents/index.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { createLimitMessages } from '../../../../src/slack/home/limit-messages.ts';
import { isStillRelevant } from '../../../../src/slack/outbox/relevance.ts';
import {
  type Rendered,
  type RenderPorts,
  render,
  renderRefused,
} from '../../../../src/slack/outbox/render.ts';
import { askingTool, guardedTool } from '../../../helpers/fake-hub.ts';
import { bob, THREAD } from '../../../helpers/people.ts';
import { openSlackApp, type SlackApp, wordsIn } from '../../../helpers/slack-app.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';

const KEY = callKey(THREAD, 'c1');
const CALL = { kind: 'call', callKey: KEY } as const;
const NEED = { kind: 'need', callKey: KEY } as const;

let slack: SlackApp;
let ports: RenderPorts;
beforeEach(async () => {
  slack = await openSlackApp();
  const summon = async () => undefined;
  ports = {
    gate: slack.ports.gate,
    views: slack.ports.views,
    runs: slack.network.runs,
    connections: { list: async () => [] },
    summon,
    drop: async () => null,
    limits: createLimitMessages({ limits: slack.network.limits, directory: slack.ports.directory }),
    closed: async () => null,
    told: async () => ({ names: [], callIds: null }),
  };
});

async function ask(...titles: readonly string[]): Promise<string> {
  slack.network.model.script({
    calls: titles.map((title, index) => ({ id: `c${index + 1}`, name: 'create_event', args: { title } })),
  });
  await slack.network.say('make it');
  return (await slack.network.gate.requests.openIn(THREAD))?.requestId ?? '';
}
const words = (rendered: Rendered | null) => wordsIn(rendered?.messages.map(({ blocks }) => blocks));
const shown = async (...args: [Parameters<typeof render>[1]]) => words(await render(ports, ...args, THREAD));
const instead = async (...args: [Parameters<typeof render>[1]]) => words(await renderRefused(ports, ...args));

it('a call is its card, as it stands', async () => {
  await ask('Standup');
  expect(await shown(CALL)).toContain('Only Ana can approve');
  slack.network.model.script('Done.');
  await slack.network.decide('c1');
  expect(await shown(CALL)).toContain('created Standup');
});

it('what a card asks is kept as it stands there, and nothing of one that is decided', async () => {
  await ask('Standup');
  const prompts = async () => (await render(ports, CALL, THREAD))?.prompts;
  expect(await prompts()).toEqual([
    { callId: 'c1', headline: 'Create event ‘Standup’', asked: ['Only Ana can approve'], warnings: [] },
  ]);
  slack.network.model.script('Done.');
  await slack.network.decide('c1');
  expect(await prompts()).toEqual([]);
});

it('one call has no list, several have one', async () => {
  expect(await render(ports, { kind: 'request', requestId: await ask('One') }, THREAD)).toBeNull();
  slack.network.model.script('Done.');
  await slack.network.decide('c1');
  const other = await openSlackApp();
  other.network.model.script({
    calls: ['a', 'b'].map((id) => ({ id, name: 'create_event', args: { title: id } })),
  });
  await other.network.say('make them');
  const requestId = (await other.network.gate.requests.openIn(THREAD))?.requestId ?? '';
  const twoPorts = {
    ...ports,
    gate: other.ports.gate,
    views: other.ports.views,
    item: other.network.runs.item,
  };
  expect(words(await render(twoPorts, { kind: 'request', requestId }, THREAD))).toContain('2 actions wait');
});

it('a plan that Slack refuses is shown as lines, with what decides it', async () => {
  const planning = await openSlackApp({ graphs: (graphPorts) => ({ planner: createPlanner(graphPorts) }) });
  const steps = ['One', 'Two'].map((title) => ({ tool: 'create_event', arguments: { title } }));
  planning.network.model.script({ calls: [{ id: 'p', name: 'make_plan', args: { title: 'Both', steps } }] });
  await planning.network.say('plan them', { graph: 'planner' });
  const requestId = (await planning.network.gate.requests.openIn(THREAD))?.requestId ?? '';
  const planPorts = { ...ports, gate: planning.ports.gate, views: planning.ports.views };
  const rendered = await renderRefused(planPorts, { kind: 'request', requestId });
  expect(rendered?.messages[0]?.blocks.map(({ type }) => type)).not.toContain('plan');
  expect(words(rendered)).toMatch(/Plan: “Both”[\s\S]*2\. Create event[\s\S]*Review 2…/i);
});

it('a list that is moved names its approvers without mentioning them, and is not moved once all is decided', async () => {
  const requestId = await ask('One', 'Two');
  const mentions = async () => [{ name: '@Bob', element: { type: 'user', user_id: 'U2' } as const }];
  const show = { kind: 'raise', requestId, below: null } as const;
  const rendered = (it: typeof show | { kind: 'request'; requestId: string }) =>
    render({ ...ports, views: { ...ports.views, mentions } }, it, THREAD);
  expect(JSON.stringify(await rendered({ kind: 'request', requestId }))).toContain('"user_id":"U2"');
  const moved = await rendered(show);
  expect(words(moved)).toContain('@Bob');
  expect(JSON.stringify(moved)).not.toContain('user_id');
  slack.network.model.script('Done.');
  await slack.network.decide('c1');
  await slack.network.decide('c2');
  expect(await rendered(show)).toBeNull();
});

it('a call of so many that it is only listed gets no card, and one of few does', async () => {
  await ask('1', '2', '3', '4');
  const last = { kind: 'call', callKey: callKey(THREAD, 'c4') } as const;
  expect((await render(ports, last, THREAD))?.onlyUpdate).toBe(true);
  await slack.network.decide('c4');
  expect((await render(ports, last, THREAD))?.onlyUpdate).toBe(true);
});

it.each([
  { kind: 'call', callKey: 'x' },
  { kind: 'need', callKey: 'x' },
  { kind: 'request', requestId: 'x' },
  { kind: 'raise', requestId: 'x', below: null },
  { kind: 'held', itemId: 'x' },
  { kind: 'answer', itemId: 'x' },
] as const)('what there is no record of is not shown: $kind', async (show) => {
  expect(await render(ports, show, THREAD)).toBeNull();
  expect(await isStillRelevant(slack.ports.gate, show)).toBe(false);
});

describe('what a server wants', () => {
  it('is a line with a button for a sign-in, and a line without when it is done', async () => {
    let signedIn = false;
    slack.network.hub.offer(guardedTool('mail', 'send_mail', () => signedIn));
    slack.network.model.script({ calls: [{ id: 'c1', name: 'send_mail', args: {} }] }, 'Sent.');
    await slack.network.say('send it');
    await slack.network.decide('c1');
    expect(await shown(NEED)).toContain('must connect mail: Send mail (mail.send_mail) waits.');
    expect(await shown(NEED)).not.toContain('https://');
    expect(await isStillRelevant(slack.ports.gate, NEED)).toBe(true);
    signedIn = true;
    await slack.network.gate.elicitation.retry(KEY, { id: 'slack:T1:U1', name: 'Ana' });
    await slack.network.runs.idle();
    const over = await render(ports, NEED, THREAD);
    expect(over?.onlyUpdate).toBe(true);
    expect(await isStillRelevant(slack.ports.gate, NEED)).toBe(false);
  });

  it('is a card for a form', async () => {
    slack.network.hub.offer(askingTool('rooms', 'book_room'));
    slack.network.model.script({ calls: [{ id: 'c1', name: 'book_room', args: {} }] }, 'Booked.');
    await slack.network.say('book it');
    const decided = slack.network.decide('c1');
    await slack.network.hub.sentTimes('book_room', 1);
    await expect.poll(() => shown(NEED)).toContain('Which room?');
    await slack.click('elicitation.decline', KEY);
    await decided;
  });
});

describe('a message that came while a card was open', () => {
  const held = async (options = {}) => {
    const itemId = await slack.network.send('make it ten', options);
    await slack.network.runs.idle();
    return { kind: 'held', itemId } as const;
  };

  it('asks the one who decides what it is', async () => {
    await ask('Standup');
    const show = await held();
    expect(await shown(show)).toContain('Send it back, with my message as feedback');
  });

  it('says to anybody else whom it waits for, without buttons', async () => {
    await ask('Standup');
    const show = await held({ actor: bob });
    expect(await shown(show)).toContain('waits for Ana first');
    expect(await shown(show)).not.toContain('Reject');
  });

  it('loses its buttons when it was used as feedback', async () => {
    await ask('Standup');
    const show = await held();
    slack.network.model.script('As you wish.');
    await slack.network.runs.useAsFeedback(show.itemId, { id: 'slack:T1:U1', name: 'Ana' });
    const rendered = await render(ports, show, THREAD);
    expect(words(rendered)).toBe('Your message was used as feedback.');
    expect(rendered?.onlyUpdate).toBe(true);
    await slack.network.runs.idle();
    expect(await render(ports, { kind: 'answer', itemId: show.itemId }, THREAD)).toBeNull();
  });

  it('may answer a question that was asked after it', async () => {
    const thought = Promise.withResolvers<void>();
    const calls = [{ id: 'c1', name: 'ask_user', args: { question: 'Which day?' } }];
    slack.network.model.script({ calls, until: thought.promise }, 'Friday it is.');
    await slack.network.send('make it');
    await slack.network.model.askedTimes(1);
    const itemId = await slack.network.send('on Friday');
    // The question is asked in a later millisecond, by the same clock.
    await expect.poll(() => Date.now()).toBeGreaterThan((await slack.network.item(itemId)).receivedAt);
    thought.resolve();
    await slack.network.runs.idle();
    expect(await shown({ kind: 'held', itemId })).toContain('Use my message as the answer');
    await slack.click('pending.use_as_answer', itemId);
    expect(await shown({ kind: 'held', itemId })).toBe('Your message was used as the answer.');
    await slack.network.runs.idle();
  });

  it('loses its buttons when it has its turn', async () => {
    await ask('Standup');
    const show = await held();
    slack.network.model.script('Here you are.');
    await slack.network.runs.withdrawFor(show.itemId, { id: 'slack:T1:U1', name: 'Ana' });
    await slack.network.runs.idle();
    expect(await shown(show)).toBe('Your message was answered.');
    expect(await shown({ kind: 'answer', itemId: show.itemId })).toContain('Here you are.');
  });
});

describe('an answer', () => {
  it('is markdown, as the model wrote it', async () => {
    slack.network.model.script('It is **done**.');
    const { itemId } = await slack.network.say('hello');
    expect(await shown({ kind: 'answer', itemId })).toBe('It is **done**.');
  });

  it('that failed says so in one line', async () => {
    slack.network.model.script({ error: new Error('a raw exception') });
    const { itemId } = await slack.network.say('hello');
    const said = await shown({ kind: 'answer', itemId });
    expect(said).toMatch(/^⚠️ /);
    expect(said).not.toContain('raw exception');
  });

  it('that was stopped says by whom', async () => {
    await ask('Standup');
    const [item] = await slack.network.runs.openItems(THREAD);
    await slack.network.runs.cancel(THREAD, { id: 'slack:T1:U1', name: 'Ana' });
    await slack.network.runs.idle();
    expect(await shown({ kind: 'answer', itemId: item?.itemId ?? '' })).toContain('Stopped by Ana');
  });
});

describe('in the place of what Slack refuses to show', () => {
  it('a call that waits says that it cannot be approved here, and how to withdraw it', async () => {
    await ask('Standup');
    const said = await instead(CALL);
    expect(said).toContain("so it can't be approved here");
    expect(said).toContain('/countersign cancel');
    expect(await isStillRelevant(slack.ports.gate, CALL)).toBe(true);
  });

  it('a call that was decided says how it stands', async () => {
    await ask('Standup');
    slack.network.model.script('Done.');
    await slack.network.decide('c1');
    expect(await instead(CALL)).toContain('done');
    expect(await isStillRelevant(slack.ports.gate, CALL)).toBe(false);
  });

  it('a question says that it cannot be answered here', async () => {
    slack.network.model.script({ calls: [{ id: 'c1', name: 'ask_user', args: { question: 'Which day?' } }] });
    await slack.network.say('make it');
    expect(await shown(CALL)).toContain('Which day?');
    expect(await instead(CALL)).toContain("can't be answered here");
  });

  it('an answer is given in plain words', async () => {
    slack.network.model.script('It is **done**.');
    const { itemId } = await slack.network.say('hello');
    expect(await instead({ kind: 'answer', itemId })).toContain('It is **done**.');
  });

  it('a long answer is given whole, in as many messages as it takes', async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `line ${index}`);
    slack.network.model.script(lines.join('\n'));
    const { itemId } = await slack.network.say('hello');
    const rendered = await renderRefused(ports, { kind: 'answer', itemId });
    for (const message of rendered?.messages ?? []) assertMessage(message);
    expect(rendered?.messages.length).toBeGreaterThan(1);
    const shownWords = words(rendered);
    expect(lines.filter((line) => !shownWords.includes(line))).toEqual([]);
  });

  it('a header points to the Home, and matters while its request is open', async () => {
    const requestId = await ask('One', 'Two');
    expect(await instead({ kind: 'request', requestId })).toContain('Home');
    expect(await isStillRelevant(slack.ports.gate, { kind: 'request', requestId })).toBe(true);
  });

  it('a notice says that the message is kept', async () => {
    expect(await instead({ kind: 'held', itemId: 'x' })).toContain('Your message is kept');
  });

  it('what there is no record of leaves nothing', async () => {
    expect(await renderRefused(ports, { kind: 'call', callKey: 'x' })).toBeNull();
    expect(await renderRefused(ports, NEED)).toBeNull();
    expect(await renderRefused(ports, { kind: 'answer', itemId: 'x' })).toBeNull();
  });
});
