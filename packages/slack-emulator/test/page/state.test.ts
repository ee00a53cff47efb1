import { describe, expect, it } from 'vitest';
import {
  EMPTY_STATE,
  isReply,
  type PageState,
  reducePage,
  repliesTo,
  replyCount,
  rootMessages,
} from '../../src/page/state/state.ts';
import type { PageEvent } from '../../src/server/page-api.ts';
import { ANA, BOT, FORM, GENERAL, HOME_VIEW, message, OPS, WORKSPACE } from '../helpers/page-content.ts';

const loaded = reducePage(EMPTY_STATE, { type: 'workspace', workspace: WORKSPACE });
const following = (state: PageState, ...events: PageEvent[]) =>
  events.reduce((before, event) => reducePage(before, { type: 'event', event }), state);
const texts = (state: PageState) => state.messages[GENERAL]?.map(({ text }) => text);

describe('the state of the page', () => {
  it('keeps messages in the order of their ts, whatever order they come in', () => {
    const late = message(1, ANA, { text: 'first' });
    const early = message(2, ANA, { text: 'second' });
    expect(
      texts(following(loaded, { type: 'message', message: early }, { type: 'message', message: late })),
    ).toEqual(['first', 'second']);
  });

  it('replaces a message that comes again', () => {
    const state = following(
      loaded,
      { type: 'message', message: message(1, BOT, { text: 'waits' }) },
      { type: 'message', message: message(1, BOT, { text: 'done', edited: true }) },
    );
    expect(texts(state)).toEqual(['done']);
  });

  it('drops a deleted message', () => {
    const one = message(1, BOT, {});
    expect(
      texts(
        following(
          loaded,
          { type: 'message', message: one },
          { type: 'message_deleted', channel: GENERAL, ts: one.ts },
        ),
      ),
    ).toEqual([]);
  });

  it('forgets what a refetched history no longer has', () => {
    const state = following(loaded, { type: 'message', message: message(1, BOT, { text: 'gone' }) });
    const history = {
      type: 'history',
      channel: GENERAL,
      messages: [message(2, BOT, { text: 'there' })],
    } as const;
    expect(texts(reducePage(state, history))).toEqual(['there']);
  });

  it('shows a status until an empty one comes', () => {
    const busy = following(loaded, {
      type: 'status',
      channel: GENERAL,
      threadTs: '1.0',
      status: 'is reading…',
    });
    expect(Object.values(busy.statuses)).toEqual(['is reading…']);
    expect(
      following(busy, { type: 'status', channel: GENERAL, threadTs: '1.0', status: '' }).statuses,
    ).toEqual({});
  });

  it('forgets every status when the connection is lost', () => {
    const busy = following(loaded, {
      type: 'status',
      channel: GENERAL,
      threadTs: '1.0',
      status: 'is reading…',
    });
    expect(reducePage(busy, { type: 'connection', connection: 'lost' }).statuses).toEqual({});
  });

  it('takes over modals, Home, unread counts and the connection of the app', () => {
    const { workspace } = following(
      loaded,
      { type: 'modals', modals: [FORM] },
      { type: 'home', home: HOME_VIEW },
      { type: 'unread', channel: OPS, unread: 0 },
      { type: 'app', connected: false },
    );
    expect(workspace).toMatchObject({ modals: [{ id: 'V1' }], home: { id: 'V9' }, appConnected: false });
    expect(workspace?.channels.find(({ id }) => id === OPS)?.unread).toBe(0);
  });

  it('takes the first message of a thread for no reply, though it may carry the thread’s ts', () => {
    const root = message(1, ANA, {});
    const marked = { ...root, threadTs: root.ts };
    const reply = message(2, BOT, { threadTs: root.ts });
    expect(isReply(marked)).toBe(false);
    expect(rootMessages([marked, reply])).toEqual([marked]);
    expect(repliesTo([marked, reply], root.ts)).toEqual([reply]);
  });

  it('counts as replies what everybody sees', () => {
    const seen = message(1, BOT, {});
    const own = message(2, BOT, { ephemeral: true });
    expect(replyCount([seen, own])).toBe('1 reply');
    expect(replyCount([seen, own, message(3, ANA, {})])).toBe('2 replies');
    expect(replyCount([own])).toBe('Only visible to you');
  });
});
