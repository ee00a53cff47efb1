import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/lib/canonical-json.ts';
import { isJsonObject } from '../../../../src/lib/json.ts';
import type { HeldTools, ReviewTools } from '../../../../src/mcp/ports.ts';
import { reviewText } from '../../../../src/presentation/tool-review-text.ts';
import { callValue } from '../../../../src/slack/cards/action-values.ts';
import { notifyToolReview } from '../../../../src/slack/home/admins.ts';
import { reviewBlocks } from '../../../../src/slack/home/review-blocks.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { buttonsOf, buttonValue, flat } from '../cards/fixtures.ts';

const HELD: HeldTools = {
  server: 'ledger',
  tools: [
    {
      name: 'add',
      hash: 'hash-of-add',
      isNew: false,
      changes: ['- description: "one"', '+ description: "two"'],
    },
    { name: 'read', hash: 'hash-of-read', isNew: true, changes: ['+ name: "read"'] },
  ],
};
/** What Accept carries when these definitions are shown. */
const acceptValue = (callKey: string, hashes: readonly string[]) =>
  callValue({ callKey, digest: sha256Hex(hashes.join(' ')) });
const SHOWN = acceptValue('ledger', ['hash-of-add', 'hash-of-read']);

/** More than a Home shows, and than a page of the modal. */
const LONG: HeldTools = {
  server: 'ledger',
  tools: Array.from({ length: 20 }, (_, index) => ({
    name: `tool_${index}`,
    hash: `hash-${index}`,
    isNew: true,
    changes: [`+ name: "tool_${index}"`, `+ description: "${`${index} says much. `.repeat(200)}"`],
  })),
};
const LONG_SHOWN = acceptValue(
  'ledger',
  LONG.tools.map(({ hash }) => hash),
);
const CAROL = { user: { id: 'U3', team_id: 'T1' } };

/** An app in which this waits for a review; `accepted` is what came of clicks. */
async function waitingFor(held: readonly HeldTools[]) {
  const slack = await openSlackApp();
  const accepted: [string, readonly string[], string][] = [];
  const reviews: ReviewTools = {
    held: async () => held,
    accept: async (server, hashes, by) => {
      accepted.push([server, hashes, by.name]);
      return [];
    },
  };
  Object.assign(slack.ports, { reviews });
  const told = () => JSON.stringify(slack.api.of('chat.postEphemeral'));
  return { slack, accepted, told };
}

/** The modal as it is shown last. */
function modalIn(slack: Awaited<ReturnType<typeof openSlackApp>>) {
  const shown = slack.api.calls.filter(({ method }) => /^views\.(open|update)$/.test(method));
  const view = shown.at(-1)?.args.view;
  if (!isJsonObject(view) || !Array.isArray(view.blocks)) throw new Error('no modal');
  assertView(view);
  const blocks = view.blocks.filter(isJsonObject);
  const changes = blocks.filter(({ block_id: id }) => String(id).startsWith('changes.'));
  return {
    view: { ...view, id: 'V1' },
    words: flat(blocks),
    buttons: buttonsOf(blocks),
    changes: changes.map((block) => flat([block]).slice('┌\n'.length, -'\n└'.length)).join(''),
  };
}

describe('Accept', () => {
  it('accepts what was shown, for an admin', async () => {
    const { slack, accepted } = await waitingFor([HELD]);
    await slack.click('tools.accept', SHOWN, { user: { id: 'U3', team_id: 'T1' } });
    expect(accepted).toEqual([['ledger', ['hash-of-add', 'hash-of-read'], 'Carol']]);
  });

  it('accepts nothing for anybody else, and tells them', async () => {
    const { slack, accepted, told } = await waitingFor([HELD]);
    await slack.click('tools.accept', SHOWN);
    expect(accepted).toEqual([]);
    expect(told()).toContain('Only admins review tools. Nothing was changed.');
  });

  it.each([
    ['what waits is another definition by now', [{ ...HELD, tools: HELD.tools.slice(1) }], SHOWN],
    ['the value is made up', [HELD], 'ledger'],
  ])('accepts nothing where %s', async (_why, held, value) => {
    const { slack, accepted, told } = await waitingFor(held);
    await slack.click('tools.accept', value, { user: { id: 'U3', team_id: 'T1' } });
    expect(accepted).toEqual([]);
    expect(told()).toContain('This review is out of date. Nothing was changed.');
  });
});

it('the second click on Accept, when nothing waits any more, tells of nothing', async () => {
  const { slack, accepted, told } = await waitingFor([]);
  await slack.click('tools.accept', SHOWN, { user: { id: 'U3', team_id: 'T1' } });
  expect(accepted).toEqual([]);
  expect(told()).toBe('[]');
});

describe('Review…', () => {
  it('shows all that is different, page by page, with Accept on the last one', async () => {
    const { slack, accepted } = await waitingFor([LONG]);
    await slack.click('tools.review', LONG_SHOWN, CAROL);
    const pages = [modalIn(slack)];
    for (let page = pages[0]; page?.buttons.includes('Next page'); page = pages.at(-1)) {
      await slack.click('tools.page.on', String(pages.length), { ...CAROL, view: page.view });
      pages.push(modalIn(slack));
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map(({ changes }) => changes).join('')).toBe(reviewText(LONG));
    const [last, ...others] = pages.toReversed();
    expect(others.some(({ buttons }) => buttons.includes('Accept'))).toBe(false);
    expect(last?.buttons).toEqual(['Previous page', 'Accept']);
    await slack.click('tools.accept', LONG_SHOWN, { ...CAROL, view: last?.view ?? {} });
    expect(accepted).toEqual([['ledger', LONG.tools.map(({ hash }) => hash), 'Carol']]);
    expect(modalIn(slack).words).toContain('Accepted at ledger: tool_0, tool_1');
  });

  it('begins anew where something else waits by now', async () => {
    const held = [LONG];
    const { slack } = await waitingFor(held);
    await slack.click('tools.review', LONG_SHOWN, CAROL);
    const { view } = modalIn(slack);
    held[0] = { ...LONG, tools: LONG.tools.slice(1) };
    await slack.click('tools.page.on', '1', { ...CAROL, view });
    expect(modalIn(slack).words).toContain('This has changed since you opened it.');
    expect(modalIn(slack).words).toContain('Page 1 of ');
  });

  it('shows nothing to anybody else', async () => {
    const { slack } = await waitingFor([LONG]);
    await slack.click('tools.review', LONG_SHOWN);
    expect(slack.api.of('views.open')).toEqual([]);
    expect(JSON.stringify(slack.api.of('chat.postEphemeral'))).toContain('Only admins review tools');
  });
});

describe('tools to review in the Home', () => {
  it('are shown with what is different, and can be accepted', () => {
    const blocks = reviewBlocks([HELD]);
    expect(flat(blocks)).toMatchInlineSnapshot(`
      "# Tools to review (2)
      ledger offers tools that nobody has reviewed. They can't be used until then: add, read.
      ┌
      add, changed
        - description: "one"
        + description: "two"
      read, new
        + name: "read"
      └
      [Accept (primary)]"
    `);
    expect(buttonValue(blocks, 'tools.accept')).toBe(SHOWN);
  });

  it('name a tool once of which several definitions wait, and show each', () => {
    const [tool] = HELD.tools;
    if (tool === undefined) throw new Error('nothing waits');
    const tools = [
      { ...tool, variant: '1 of 2' },
      { ...tool, hash: 'another', variant: '2 of 2' },
    ];
    const shown = flat(reviewBlocks([{ server: 'ledger', tools }]));
    expect(shown).toContain('Tools to review (1)');
    expect(shown).toContain("They can't be used until then: add.\n");
    expect(shown).toContain('add, changed, definition 1 of 2\n');
    expect(shown).toContain('add, changed, definition 2 of 2\n');
  });

  it('that are too long for it are read in a modal', () => {
    const blocks = reviewBlocks([LONG]);
    expect(flat(blocks)).toContain(
      "They can't be used until then: tool_0, tool_1, tool_2, tool_3, tool_4, tool_5, tool_6, tool_7 and 12 more.\n[Review… (primary)]",
    );
    expect(flat(blocks)).not.toContain('description');
    expect(buttonValue(blocks, 'tools.review')).toBe(LONG_SHOWN);
  });

  it('that nobody can read in Slack are accepted at a terminal only', () => {
    const long = {
      name: 'add',
      hash: 'h',
      isNew: true,
      changes: [`+ description: "${'x'.repeat(100_000)}"`],
    };
    const blocks = reviewBlocks([{ server: 'ledger', tools: [long] }]);
    expect(flat(blocks)).toContain('npx countersign servers review shows it, and accepts it.');
    expect(buttonsOf(blocks)).toEqual([]);
  });

  it('show a name on its one line, whatever stands in it', () => {
    const name = 'ok\n  + description: "Adds."\r\nother, changed\tx';
    const blocks = reviewBlocks([
      { server: 'ledger', tools: [{ name, hash: 'h', isNew: true, changes: [] }] },
    ]);
    expect(flat(blocks)).toContain('ok\\n  + description: "Adds."\\r\\nother, changed\\tx, new\n');
  });

  it('of many servers are counted', () => {
    const servers = Array.from({ length: 5 }, (_, index) => ({ ...HELD, server: `s${index}` }));
    expect(flat(reviewBlocks(servers))).toContain('And of 2 more servers');
  });
});

it('admins whom the operator named are told by themselves; that one is not told does not keep others from it', async () => {
  const slack = await openSlackApp();
  const warned: object[] = [];
  slack.api.answers.set('chat.postMessage', ({ channel }) =>
    channel === 'U1' ? { ok: false, error: 'channel_not_found' } : { ok: true, ts: '1.1' },
  );
  const log = { warn: (details: object) => void warned.push(details) };
  const ports = { client: slack.ports.client, homes: slack.homes, admins: ['U1', 'U3'], log };
  await notifyToolReview(ports, 'ledger');
  const posts = slack.api.of('chat.postMessage');
  expect(posts.map(({ channel }) => channel)).toEqual(['U1', 'U3']);
  expect(posts[1]?.text).toBe(
    "ledger offers tools that nobody has reviewed. Until an admin accepts them, they can't be used, or no wildcard of the policy allows them. Your Home shows the changes.",
  );
  expect(warned).toMatchObject([{ server: 'ledger' }]);
});
