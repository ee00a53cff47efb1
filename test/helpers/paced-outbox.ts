import { onTestFinished } from 'vitest';
import { SlackClient } from '../../src/slack/client/slack-client.ts';
import { type OutboxItem, type OutboxRow, outbox as rows } from '../../src/slack/outbox/collections.ts';
import { createOutbox } from '../../src/slack/outbox/outbox.ts';
import { PostedMessages } from '../../src/slack/outbox/posted-messages.ts';
import { toRateLimit } from '../../src/slack/outbox/rate-limit.ts';
import { rowId } from '../../src/slack/outbox/rows.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../src/storage/store.ts';
import { createNudges } from './nudges.ts';
import { createFakeApi } from './slack-app.ts';
import { call, said } from './slack-outbox.ts';

/** The outbox over a Slack in memory, at Slack's pace, in time that the test makes pass. */
export function openPaced() {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const api = createFakeApi();
  // Without streams and timers of its own.
  const client = new SlackClient('xoxb-test', api.ownOptions);
  const posts: { readonly channel: string; readonly text: string; readonly at: number }[] = [];
  const logged: unknown[] = [];
  let words = 'now';
  /** In the order of their making, and due. */
  let at = 0;
  let refusals = 0;
  api.answers.set('chat.postMessage', ({ channel, text }) => {
    if (refusals-- > 0) return { ok: false, error: 'ratelimited' };
    posts.push({ channel: String(channel), text: String(text), at: Date.now() });
    return { ok: true, ts: `9.${posts.length}` };
  });
  return {
    store,
    api,
    logged,
    /** Slack wants to be left alone for 2 s at the next post. */
    refuseNext(): void {
      refusals = 1;
    },
    say(text: string): void {
      words = text;
    },
    texts: () => posts.map(({ text }) => text),
    postedAt: (channel: string) => posts.filter((post) => post.channel === channel).map((post) => post.at),
    /** Rows of things to show, the same ones unless `name` is another. */
    async announce(
      channel: string,
      count: number,
      name = 'thing',
      whose: Pick<OutboxRow, 'by' | 'requester'> = {},
    ): Promise<void> {
      const shows = Array.from(
        { length: count },
        (_, index): OutboxItem => call(`${channel} ${name} ${index}`),
      );
      const threadId = `slack:T1:${channel}:1.0`;
      await store.commit({
        put: shows.map((show) =>
          put(rows, rowId(show), {
            channel,
            threadId,
            at: at++ / 1_000_000,
            show,
            ...whose,
          }),
        ),
      });
    },
    /** `nudges`: default those of a process that the others don't hear, nor it them. */
    start(over: Store = store, owner = `process ${Math.random()}`, nudges = createNudges().join()) {
      const outbox = createOutbox({
        store: over,
        clock: Date.now,
        holder: { owner, isGone: () => false },
        nudges,
        posts: new PostedMessages({ store: over, client }),
        files: { show: async () => {} },
        rateLimit: toRateLimit(1),
        timeUntilCall: () => 0,
        render: async (row) => ({ messages: [said(`${rowId(row.show)} ${words}`)], onlyUpdate: false }),
        renderRefused: async () => null,
        direct: { refused: async () => {}, mayHaveCopies: async () => false, shown: async () => {} },
        raiseList: async () => () => null,
        onShown: () => undefined,
        finishStream: async () => null,
        log: { error: (details) => void logged.push(details), warn: (details) => void logged.push(details) },
      });
      onTestFinished(() => outbox.stop());
      return outbox;
    },
  };
}
