import { setTimeout as after } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { countByAsker, logRedisCommands, logSqliteCommits } from '../helpers/commit-log.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
/** What follows the answer: the end of its row, and of the status. */
const A_MOMENT_MS = 1_000;

const BULLMQ = '{cs}:bull:wake-ups';

/**
 * What BullMQ's worker asks for every five seconds, whatever there is to do: it waits for the queue's marker, and then looks
 * for a job, or every thirty for one whose worker is gone. Both scripts name the list of stalled jobs; one that adds a job
 * doesn't.
 */
function isAtRest([command, ...words]: readonly string[]): boolean {
  return command?.toLowerCase() === 'bzpopmin' || words.includes(`${BULLMQ}:stalled`);
}

/** The whole app against the stand-in for Slack; resolves when it has done what is done once. */
async function openApp(env: Readonly<Record<string, string>> = {}) {
  const { model, driver } = await startAppWithModel({
    file: { mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } } },
    env: { SLACK_POSTS_PER_SECOND: '9999', ...env },
  });
  const ana = driver.as('ana');

  /** Somebody asks, approves what the card shows, and reads the answer. */
  async function approve(entry: string): Promise<void> {
    const threadTs = ana.dm(`enter ${entry}`);
    await model.calls([{ name: 'ledger__add_entry', arguments: { entry } }]);
    const card = await driver.waitForMessage(
      (message) => message.threadTs === threadTs && driver.text(message).includes('[Approve]'),
    );
    await ana.click(card, 'Approve');
    await model.says(`${entry} is in.`);
    await driver.waitForMessage(({ text }) => text.includes(`${entry} is in.`));
    await after(A_MOMENT_MS);
  }

  await approve('rent');
  return { approve, driver };
}

// Who gets a count down may lower its bound; who must raise one says why.
it('a turn with one approval takes so many commits on SQLite, by who asks for them', async () => {
  const { approve, driver } = await openApp();
  const commits = logSqliteCommits();
  const before = {
    posts: driver.calls('chat.postMessage').length,
    updates: driver.calls('chat.update').length,
  };
  await approve('heating');
  const posts = driver.calls('chat.postMessage').length - before.posts;
  const updates = driver.calls('chat.update').length - before.updates;
  // The card and the answer.
  expect(posts).toBe(2);
  // The card when it's done; on a busy machine, it's also seen to run.
  expect(updates).toBeGreaterThanOrEqual(1);
  expect(updates).toBeLessThanOrEqual(2);
  const counts = new Map(Object.entries(countByAsker(commits)));
  const bounds = new Map<string, readonly [least: number, most: number]>([
    ['a message', [1, 3]],
    // A post is noted when it was made.
    ['a message in Slack', [posts, posts + updates]],
    // The click may come before the card's post is noted.
    ['a post whose row has changed meanwhile', [0, 1]],
    // Request, decision, intent and outcome.
    ['the gate', [4, 4]],
    ['the lease of a thread', [0, 2]],
  ]);
  const outside = [...new Set([...bounds.keys(), ...counts.keys()])].filter((asker) => {
    const [least, most] = bounds.get(asker) ?? [0, 0];
    const count = counts.get(asker) ?? 0;
    return count < least || count > most;
  });
  expect(outside.map((asker) => [asker, counts.get(asker)])).toEqual([]);
  // Another process would have to hear of changes in Homes.
  expect(commits.flat().filter((written) => written.startsWith('slack_home_changes/'))).toEqual([]);
});

it.skipIf(!hasRedis('what a turn of the whole bot costs on Redis'))(
  'a turn with one approval takes so many commands on Redis, and none of BullMQ',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const { approve } = await openApp({ REDIS_URL: redis.url });
    const { log, close } = await logRedisCommands(redis.url);
    await approve('heating');
    await close();
    const ofBullMq = log.filter((words) => words.some((word) => word.startsWith(`${BULLMQ}:`)));
    expect(ofBullMq.filter((words) => !isAtRest(words))).toEqual([]);
    const ofTurn = log.length - ofBullMq.length;
    // 32 to 35 on a busy machine; which reads share a command depends a little on how they meet.
    expect(ofTurn).toBeLessThanOrEqual(40);
    // A message, a card and an answer can't do with less.
    expect(ofTurn).toBeGreaterThanOrEqual(15);
  },
);
