import { describe, expect, it } from 'vitest';
import { ANA, BOB, DEFAULT_SCOPES } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

const APPLES = { name: 'a.txt', content: 'apples' };
const FILES = [APPLES];

describe('a file of a person', () => {
  it('comes with its message, and is downloaded by the app’s token alone', async () => {
    const workspace = await startWorkspace();
    const heard: { subtype?: string | undefined; files: string[] }[] = [];
    await connectBolt(workspace, (app) => {
      app.event('message', async ({ event }) => {
        const files = 'files' in event ? (event.files ?? []) : [];
        heard.push({ subtype: event.subtype, files: files.map(({ id }) => id ?? '') });
      });
    });
    const { driver } = workspace;
    const ana = driver.as('ana');
    const ts = ana.dm('look', { files: FILES });
    await driver.eventsDelivered();
    const [id = ''] = driver.message(ana.dmChannel, ts).files;
    expect(heard).toEqual([{ subtype: 'file_share', files: [id] }]);
    const { file } = await webClient(workspace).files.info({ file: id });
    expect(file).toMatchObject({ name: 'a.txt', mode: 'hosted', size: 6, user: ANA, ims: [ana.dmChannel] });
    const url = file?.url_private_download ?? '';
    const get = async (token: string) => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    expect(await get(workspace.botToken)).toEqual([200, 'text/plain', 'apples']);
    expect(await get('xoxb-other')).toEqual([200, 'text/html', expect.stringContaining('Sign in')]);
  });

  it('isn’t given to an app without the scope, which is told by an error and by the page to sign in', async () => {
    const scopes = DEFAULT_SCOPES.filter((scope) => scope !== 'files:read');
    const workspace = await startWorkspace({ scopes });
    const ana = workspace.driver.as('ana');
    const ts = ana.dm('', { files: FILES });
    const [id = ''] = workspace.driver.message(ana.dmChannel, ts).files;
    await expect(webClient(workspace).files.info({ file: id })).rejects.toThrow('missing_scope');
    const headers = { authorization: `Bearer ${workspace.botToken}` };
    expect(await (await fetch(`${workspace.url}/files/${id}`, { headers })).text()).toContain('Sign in');
  });

  it('is changed by that person, of which the app gets the id; only a snippet has another content', async () => {
    const workspace = await startWorkspace();
    const changed: string[] = [];
    await connectBolt(workspace, (app) => {
      app.event('file_change', async ({ event }) => void changed.push(event.file_id));
    });
    const { driver } = workspace;
    const ana = driver.as('ana');
    const ts = ana.post('general', 'look', {
      files: [...FILES, { ...APPLES, name: 'b.txt', isSnippet: true }],
    });
    const [upload = '', snippet = ''] = driver.messages('general').find((it) => it.ts === ts)?.files ?? [];
    ana.changeFile(upload, { title: 'Apples' });
    ana.changeFile(snippet, { content: 'pears!' });
    expect(() => ana.changeFile(upload, { content: 'pears' })).toThrow('stays as it is');
    expect(() => driver.as('bob').changeFile(upload, { title: 'mine' })).toThrow('not yours');
    await driver.eventsDelivered();
    expect(changed).toEqual([upload, snippet]);
    const { files } = webClient(workspace);
    expect((await files.info({ file: upload })).file).toMatchObject({
      ...{ name: 'a.txt', title: 'Apples', mode: 'hosted', editable: false, size: 6 },
    });
    const { file } = await files.info({ file: snippet });
    expect(file).toMatchObject({ mode: 'snippet', editable: true, size: 6 });
    const headers = { authorization: `Bearer ${workspace.botToken}` };
    expect(await (await fetch(file?.url_private ?? '', { headers })).text()).toBe('pears!');
  });

  it('is deleted by that person, of which the app gets the id; messages say that there was one', async () => {
    const workspace = await startWorkspace();
    const deleted: string[] = [];
    await connectBolt(workspace, (app) => {
      app.event('file_deleted', async ({ event }) => void deleted.push(event.file_id));
    });
    const { driver } = workspace;
    const ana = driver.as('ana');
    const ts = ana.post('general', 'look', { files: FILES });
    const [id = ''] = driver.messages('general').find((it) => it.ts === ts)?.files ?? [];
    expect(() => driver.as('bob').deleteFile(id)).toThrow('not yours');
    ana.deleteFile(id);
    await driver.eventsDelivered();
    expect(deleted).toEqual([id]);
    await expect(webClient(workspace).files.info({ file: id })).rejects.toThrow('file_deleted');
    const { messages } = await webClient(workspace).conversations.history({ channel: 'C0GENERAL1' });
    expect(messages?.[0]?.files).toEqual([{ id, mode: 'tombstone' }]);
    expect((await fetch(`${workspace.url}/workspace/files/${id}`)).status).toBe(400);
    expect(() => ana.shareFile('ops', id)).toThrow();
  });

  it('is uploaded by the page, and shared by whoever uploaded it', async () => {
    const workspace = await startWorkspace();
    const upload = await fetch(`${workspace.url}/workspace/upload?user=${ANA}&name=a.txt`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'apples',
    });
    const { id }: { id: string } = await upload.json();
    const post = async (user: string) => {
      const response = await fetch(`${workspace.url}/workspace/post`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user, channel: 'general', text: 'look', files: [id] }),
      });
      const { ts }: { ts: string } = await response.json();
      return workspace.driver.messages('general').find((it) => it.ts === ts)?.files;
    };
    expect(await post(BOB)).toEqual([]);
    expect(await post(ANA)).toEqual([id]);
  });
});

describe('a message of a person', () => {
  it('is deleted, or emptied where others have replied to it', async () => {
    const workspace = await startWorkspace();
    const heard: (string | undefined)[] = [];
    await connectBolt(workspace, (app) => {
      app.event('message', async ({ event }) => {
        const inner = event.subtype === 'message_changed' ? event.message : undefined;
        heard.push(inner && 'subtype' in inner ? `${event.subtype}: ${inner.subtype}` : event.subtype);
      });
    });
    const { driver } = workspace;
    const ana = driver.as('ana');
    const [alone, replied] = [ana.post('general', 'one'), ana.post('general', 'two')];
    driver.as('bob').post('general', 'yes', { threadTs: replied });
    await driver.eventsDelivered();
    heard.length = 0;
    expect(() => driver.as('bob').deleteMessage('general', alone)).toThrow('not yours');
    ana.deleteMessage('general', alone);
    ana.deleteMessage('general', replied);
    await driver.eventsDelivered();
    expect(heard).toEqual(['message_deleted', 'message_changed: tombstone']);
    expect(driver.message('C0GENERAL1', replied).text).toBe('This message was deleted.');
  });
});
