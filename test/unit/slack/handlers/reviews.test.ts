import { describe, expect, it } from 'vitest';
import type { HeldTools, ReviewTools } from '../../../../src/mcp/types.ts';
import { requestValue } from '../../../../src/slack/cards/references.ts';
import { reviewBlocks } from '../../../../src/slack/home/review-blocks.ts';
import { tellOfReview } from '../../../../src/slack/tool-reviews.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';
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
const SHOWN = requestValue('ledger', ['hash-of-add', 'hash-of-read']);

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
    expect(told()).toContain('Only admins review tools; nothing was changed.');
  });

  it.each([
    ['what waits is another definition by now', [{ ...HELD, tools: HELD.tools.slice(1) }], SHOWN],
    ['nothing waits any more', [], SHOWN],
    ['the value is made up', [HELD], 'ledger'],
  ])('accepts nothing where %s', async (_why, held, value) => {
    const { slack, accepted, told } = await waitingFor(held);
    await slack.click('tools.accept', value, { user: { id: 'U3', team_id: 'T1' } });
    expect(accepted).toEqual([]);
    expect(told()).toContain('This is not what waits any more; nothing was changed.');
  });
});

describe('tools to review in the Home', () => {
  it('are shown with what is different, and can be accepted', () => {
    const blocks = reviewBlocks([HELD]);
    expect(flat(blocks)).toMatchInlineSnapshot(`
      "# Tools to review (2)
      ledger offers what nobody has reviewed; it is not used until then.
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

  it('are not accepted where not all of what is different can be read', () => {
    const long = { name: 'add', hash: 'h', isNew: true, changes: [`+ description: "${'x'.repeat(3000)}"`] };
    const blocks = reviewBlocks([{ server: 'ledger', tools: [long] }]);
    expect(flat(blocks)).toContain('npm run servers:review shows it');
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
  await tellOfReview(ports, 'ledger');
  const posts = slack.api.of('chat.postMessage');
  expect(posts.map(({ channel }) => channel)).toEqual(['U1', 'U3']);
  expect(posts[1]?.text).toBe(
    'ledger offers tools that nobody has reviewed; they are not used until an admin has. Your Home shows what is different.',
  );
  expect(warned).toMatchObject([{ server: 'ledger' }]);
});
