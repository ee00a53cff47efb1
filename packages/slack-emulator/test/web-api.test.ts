import { describe, expect, it } from 'vitest';
import { DEFAULT_SCOPES, manualClock } from '../src/index.ts';
import { startWorkspace, webClient } from './helpers/workspace.ts';

const GENERAL = 'C0GENERAL1';
const refusal = (error: string) =>
  expect.objectContaining({ data: expect.objectContaining({ ok: false, error }) });

describe('tokens and scopes', () => {
  it('answers an unknown method with unknown_method', async () => {
    const workspace = await startWorkspace();
    await expect(webClient(workspace).apiCall('chat.explode')).rejects.toEqual(refusal('unknown_method'));
  });

  it('answers not_authed without a token', async () => {
    const workspace = await startWorkspace();
    await expect(webClient(workspace, '').auth.test()).rejects.toEqual(refusal('not_authed'));
  });

  it('answers invalid_auth for a token that it did not give', async () => {
    const workspace = await startWorkspace();
    await expect(webClient(workspace, 'xoxb-other').auth.test()).rejects.toEqual(refusal('invalid_auth'));
  });

  it('answers not_allowed_token_type for the other kind of token', async () => {
    const workspace = await startWorkspace();
    await expect(webClient(workspace).apps.connections.open({})).rejects.toEqual(
      refusal('not_allowed_token_type'),
    );
  });

  it('answers missing_scope, with what is needed, for what was not granted', async () => {
    const scopes = DEFAULT_SCOPES.filter((scope) => scope !== 'channels:read');
    const workspace = await startWorkspace({ scopes });
    const call = webClient(workspace).conversations.info({ channel: GENERAL });
    await expect(call).rejects.toEqual(
      expect.objectContaining({
        data: expect.objectContaining({ error: 'missing_scope', needed: 'channels:read' }),
      }),
    );
  });
});

describe('messages', () => {
  it.each<[string, string, object]>([
    ['channel_not_found', 'chat.postMessage', { channel: 'C0NOWHERE1', text: 'x' }],
    ['not_in_channel', 'chat.postMessage', { channel: 'C0RANDOM01', text: 'x' }],
    ['no_text', 'chat.postMessage', { channel: GENERAL }],
    ['msg_too_long', 'chat.postMessage', { channel: GENERAL, text: 'x'.repeat(40_001) }],
    ['msg_too_long', 'chat.postMessage', { channel: GENERAL, markdown_text: 'x'.repeat(12_001) }],
    ['markdown_text_conflict', 'chat.postMessage', { channel: GENERAL, text: 'x', markdown_text: 'y' }],
    ['thread_not_found', 'chat.postMessage', { channel: GENERAL, text: 'x', thread_ts: '1.000001' }],
    ['invalid_blocks_format', 'chat.postMessage', { channel: GENERAL, text: 'x', blocks: '{' }],
    [
      'invalid_metadata_format',
      'chat.postMessage',
      { channel: GENERAL, text: 'x', metadata: { event_type: 'e' } },
    ],
    ['message_not_found', 'chat.update', { channel: GENERAL, ts: '1.000001', text: 'x' }],
    ['message_not_found', 'chat.delete', { channel: GENERAL, ts: '1.000001' }],
    ['user_not_in_channel', 'chat.postEphemeral', { channel: GENERAL, user: 'U0NOBODY01', text: 'x' }],
    ['thread_not_found', 'conversations.replies', { channel: GENERAL, ts: '1.000001' }],
    ['user_not_found', 'users.info', { user: 'U0NOBODY01' }],
    ['invalid_trigger_id', 'views.open', { trigger_id: 'guessed', view: {} }],
    ['not_found', 'views.update', { view_id: 'V0GUESSED1', view: {} }],
    ['invalid_thread_ts', 'chat.startStream', { channel: GENERAL }],
  ])('answers %s to %s %#', async (error, method, args) => {
    const workspace = await startWorkspace();
    await expect(webClient(workspace).apiCall(method, { ...args })).rejects.toEqual(refusal(error));
  });

  it('names the place of what is wrong in blocks', async () => {
    const workspace = await startWorkspace();
    const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'h'.repeat(151) } }];
    const call = webClient(workspace).chat.postMessage({ channel: GENERAL, text: 'x', blocks });
    const messages = ['[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]'];
    await expect(call).rejects.toEqual(
      expect.objectContaining({
        data: expect.objectContaining({
          error: 'invalid_blocks',
          response_metadata: expect.objectContaining({ messages }),
        }),
      }),
    );
  });

  it('drops the blocks when an update gives only text', async () => {
    const workspace = await startWorkspace();
    const client = webClient(workspace);
    const { ts = '' } = await client.chat.postMessage({
      channel: GENERAL,
      text: 'a',
      blocks: [{ type: 'divider' }],
    });
    await client.chat.update({ channel: GENERAL, ts, text: 'b' });
    expect(workspace.driver.message(GENERAL, ts)).toMatchObject({
      text: 'b',
      blocks: [],
      edited: { user: 'U0BOT00001' },
    });
  });

  it('does not let the app update what a person wrote', async () => {
    const workspace = await startWorkspace();
    const ts = workspace.driver.as('ana').post('general', 'mine');
    const call = webClient(workspace).chat.update({ channel: GENERAL, ts, text: 'ours' });
    await expect(call).rejects.toEqual(refusal('cant_update_message'));
  });

  it('keeps metadata over an update and gives it only to who asks', async () => {
    const workspace = await startWorkspace();
    const client = webClient(workspace);
    const metadata = { event_type: 'marker', event_payload: { id: '1' } };
    const { ts = '' } = await client.chat.postMessage({ channel: GENERAL, text: 'a', metadata });
    await client.chat.update({ channel: GENERAL, ts, text: 'b' });
    const without = await client.conversations.history({ channel: GENERAL });
    const withAll = await client.conversations.history({ channel: GENERAL, include_all_metadata: true });
    expect(without.messages?.[0]).not.toHaveProperty('metadata');
    expect(withAll.messages?.[0]?.metadata).toEqual(metadata);
  });

  it('gives every message a later ts than the one before', async () => {
    const workspace = await startWorkspace({ clock: manualClock() });
    const stamps = ['1', '2', '3'].map((text) => workspace.driver.as('ana').post('general', text));
    expect(stamps).toEqual([...new Set(stamps)].toSorted());
  });

  it('reads a thread page by page', async () => {
    const workspace = await startWorkspace();
    const ana = workspace.driver.as('ana');
    const ts = ana.post('general', 'first');
    for (const text of ['second', 'third']) ana.post('general', text, { threadTs: ts });
    const client = webClient(workspace);
    const first = await client.conversations.replies({ channel: GENERAL, ts, limit: 2 });
    const cursor = first.response_metadata?.next_cursor ?? '';
    const second = await client.conversations.replies({ channel: GENERAL, ts, limit: 2, cursor });
    expect([first, second].flatMap((it) => it.messages?.map(({ text }) => text))).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(first.messages?.[0]).toMatchObject({ reply_count: 2, thread_ts: ts });
  });

  it('shows an ephemeral message to its person only, and never in the history', async () => {
    const workspace = await startWorkspace();
    const client = webClient(workspace);
    await client.chat.postEphemeral({ channel: GENERAL, user: 'U0ANA00001', text: 'psst' });
    expect(workspace.driver.messages('general', { user: 'ana' }).map((it) => it.text)).toEqual(['psst']);
    expect(workspace.driver.messages('general', { user: 'bob' })).toEqual([]);
    expect((await client.conversations.history({ channel: GENERAL })).messages).toEqual([]);
  });

  it('notes a message of the app that calls everybody, also one that was overwritten', async () => {
    const workspace = await startWorkspace();
    const client = webClient(workspace);
    const { ts = '' } = await client.chat.postMessage({ channel: GENERAL, text: 'hey <!channel>' });
    await client.chat.update({ channel: GENERAL, ts, text: 'hey &lt;!channel&gt;' });
    expect(workspace.driver.broadcasts().map((it) => it.text)).toEqual(['hey <!channel>']);
  });
});

describe('streams', () => {
  it('shows what the chatStream helper sends, and refuses additions after the end', async () => {
    const workspace = await startWorkspace();
    const threadTs = workspace.driver.as('ana').post('general', 'tell me');
    const client = webClient(workspace);
    const stream = client.chatStream({
      channel: GENERAL,
      thread_ts: threadTs,
      recipient_team_id: 'T0LOCAL001',
      recipient_user_id: 'U0ANA00001',
      buffer_size: 1,
    });
    await stream.append({ markdown_text: 'Hello ' });
    await stream.append({ chunks: [{ type: 'task_update', id: 't1', title: 'Read', status: 'complete' }] });
    await stream.append({ markdown_text: 'world' });
    await stream.stop();
    const ts = stream.ts ?? '';
    const message = workspace.driver.message(GENERAL, ts);
    expect(workspace.driver.text(message)).toBe('Read (complete)\nHello world');
    await expect(client.chat.appendStream({ channel: GENERAL, ts, markdown_text: '!' })).rejects.toEqual(
      refusal('message_not_in_streaming_state'),
    );
  });

  it('ends a stream that is idle', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock, timeouts: { streamIdleMs: 60_000 } });
    const threadTs = workspace.driver.as('ana').dm('tell me');
    const client = webClient(workspace);
    const { ts = '' } = await client.chat.startStream({
      channel: 'D0ANA00001',
      thread_ts: threadTs,
      markdown_text: 'a',
    });
    clock.advance(59_000);
    await client.chat.appendStream({ channel: 'D0ANA00001', ts, markdown_text: 'b' });
    clock.advance(60_000);
    await expect(client.chat.appendStream({ channel: 'D0ANA00001', ts, markdown_text: 'c' })).rejects.toEqual(
      refusal('message_not_in_streaming_state'),
    );
  });
});

describe('status of a thread', () => {
  it('goes away after two minutes', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    const threadTs = workspace.driver.as('ana').dm('hello');
    await webClient(workspace).assistant.threads.setStatus({
      channel_id: 'D0ANA00001',
      thread_ts: threadTs,
      status: 'is thinking',
    });
    clock.advance(120_000);
    expect(workspace.driver.statuses(threadTs).map((it) => it.status)).toEqual(['is thinking', '']);
  });

  it('goes away when the app answers', async () => {
    const workspace = await startWorkspace();
    const threadTs = workspace.driver.as('ana').dm('hello');
    const client = webClient(workspace);
    await client.assistant.threads.setStatus({
      channel_id: 'D0ANA00001',
      thread_ts: threadTs,
      status: 'is thinking',
    });
    await client.chat.postMessage({ channel: 'D0ANA00001', thread_ts: threadTs, text: 'hi' });
    expect(workspace.driver.statuses(threadTs).map((it) => it.status)).toEqual(['is thinking', '']);
  });
});

describe('files', () => {
  it('takes an upload by filesUploadV2 and shares it', async () => {
    const workspace = await startWorkspace({ scopes: [...DEFAULT_SCOPES, 'files:write'] });
    await webClient(workspace).filesUploadV2({
      channel_id: GENERAL,
      filename: 'a.txt',
      content: 'hello file',
      initial_comment: 'look',
    });
    const message = await workspace.driver.waitForMessage((it) => it.text === 'look');
    const response = await fetch(`${workspace.url}/workspace/files/${message.files[0]}`);
    expect(await response.text()).toBe('hello file');
  });

  it('shows blocks beside a file that has no comment', async () => {
    const workspace = await startWorkspace({ scopes: [...DEFAULT_SCOPES, 'files:write'] });
    const blocks = [{ type: 'section', text: { type: 'plain_text', text: '*as it is*' } }];
    const upload = { channel_id: GENERAL, filename: 'a.txt', content: 'hello file' };
    await webClient(workspace).filesUploadV2({ ...upload, blocks });
    await workspace.driver.waitForMessage((it) => workspace.driver.text(it).includes('*as it is*'));
    await webClient(workspace).filesUploadV2({ ...upload, blocks, initial_comment: 'look' });
    const commented = await workspace.driver.waitForMessage((it) => it.text === 'look');
    expect(commented.blocks).toEqual([]);
  });
});

describe('people', () => {
  it('tells zone, name and restrictions', async () => {
    const workspace = await startWorkspace();
    workspace.driver.setUser('bob', { isRestricted: true });
    const { user } = await webClient(workspace).users.info({ user: 'U0BOB00001' });
    expect(user).toMatchObject({
      real_name: 'Bob Berger',
      tz: 'Europe/Berlin',
      is_restricted: true,
      is_bot: false,
    });
  });

  it('lists the members of a group', async () => {
    const workspace = await startWorkspace({ scopes: [...DEFAULT_SCOPES, 'usergroups:read'] });
    const { users } = await webClient(workspace).usergroups.users.list({ usergroup: 'S0OPS00001' });
    expect(users).toEqual(['U0ANA00001', 'U0BOB00001']);
  });
});

describe('rates and faults', () => {
  it('answers 429 with Retry-After to a sixth message at once, and lets one through later', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ rates: 'strict', clock });
    const client = webClient(workspace);
    const post = () => client.chat.postMessage({ channel: GENERAL, text: 'x' });
    for (let index = 0; index < 5; index += 1) await post();
    await expect(post()).rejects.toMatchObject({ retryAfter: 1 });
    clock.advance(1000);
    expect((await post()).ok).toBe(true);
  });

  it('breaks the connection before anything is done', async () => {
    const workspace = await startWorkspace();
    workspace.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'reset_before' });
    await expect(webClient(workspace).chat.postMessage({ channel: GENERAL, text: 'x' })).rejects.toThrow();
    expect(workspace.driver.messages('general')).toEqual([]);
  });

  it('does what was asked and loses the answer', async () => {
    const workspace = await startWorkspace();
    workspace.driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
    await expect(webClient(workspace).chat.postMessage({ channel: GENERAL, text: 'x' })).rejects.toThrow();
    expect(workspace.driver.messages('general').map((it) => it.text)).toEqual(['x']);
  });

  it('answers an error that a test asks for, as often as it asks', async () => {
    const workspace = await startWorkspace();
    workspace.driver.fault({ method: 'chat.update', times: 1, kind: 'error', error: 'fatal_error' });
    const client = webClient(workspace);
    const { ts = '' } = await client.chat.postMessage({ channel: GENERAL, text: 'x' });
    await expect(client.chat.update({ channel: GENERAL, ts, text: 'y' })).rejects.toEqual(
      refusal('fatal_error'),
    );
    expect((await client.chat.update({ channel: GENERAL, ts, text: 'y' })).ok).toBe(true);
  });
});
