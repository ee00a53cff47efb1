import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'workspace.json');
}

it('keeps messages, metadata and membership over a restart', async () => {
  const dataFile = await temporaryFile();
  const first = await startSlackEmulator({ dataFile });
  const metadata = { event_type: 'marker', event_payload: { id: '1' } };
  await webClient(first).chat.postMessage({ channel: 'C0GENERAL1', text: 'kept', metadata });
  first.driver.invite('random', 'app');
  first.driver.as('ana').post('random', 'also kept');
  await first.stop();
  const second = await startWorkspace({ dataFile });
  expect(second.driver.messages('general')).toMatchObject([{ text: 'kept', metadata, byApp: true }]);
  const history = await webClient(second).conversations.history({ channel: 'C0RANDOM01' });
  expect(history.messages).toMatchObject([{ text: 'also kept' }]);
});

it('keeps what it has answered over a kill, also what comes while it writes', async () => {
  const dataFile = await temporaryFile();
  const workspace = await startWorkspace({ dataFile });
  const client = webClient(workspace);
  const texts = ['one', 'two', 'three', 'four'];
  const inFile = async (text: string) => (await readFile(dataFile, 'utf8')).includes(`"${text}"`);
  const kept = texts.map(async (text) => {
    await client.chat.postMessage({ channel: 'C0GENERAL1', text });
    return inFile(text);
  });
  expect(await Promise.all(kept)).toEqual(texts.map(() => true));
  const copy = `${dataFile}.copy`;
  await copyFile(dataFile, copy);
  const next = await startWorkspace({ dataFile: copy });
  expect(next.driver.messages('general').map(({ text }) => text)).toEqual(texts);
});

it('answers although it can write nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const workspace = await startSlackEmulator({ dataFile: join(folder, 'workspace', 'workspace.json') });
  await writeFile(join(folder, 'workspace'), '');
  const sent = await webClient(workspace).chat.postMessage({ channel: 'C0GENERAL1', text: 'x' });
  expect(sent.ok).toBe(true);
  await expect(workspace.stop()).rejects.toThrow();
});

it('goes on with later timestamps than those it read', async () => {
  const dataFile = await temporaryFile();
  const first = await startSlackEmulator({ dataFile });
  const before = first.driver.as('ana').post('general', 'before');
  await first.stop();
  const past = { now: () => 0, after: () => () => {} };
  const second = await startWorkspace({ dataFile, clock: past });
  expect(Number(second.driver.as('ana').post('general', 'after'))).toBeGreaterThan(Number(before));
});

it('delivers after a restart what the app was not there for, once', async () => {
  const dataFile = await temporaryFile();
  const heard: string[] = [];
  const listen = async (workspace: SlackEmulator) => {
    const app = await connectBolt(workspace, (bolt) => {
      bolt.message(async ({ message }) => {
        heard.push('text' in message ? String(message.text) : '');
      });
    });
    await workspace.driver.eventsDelivered();
    return app;
  };
  const first = await startSlackEmulator({ dataFile });
  first.driver.as('ana').post('general', 'nobody is there');
  await first.stop();
  const second = await startSlackEmulator({ dataFile });
  const app = await listen(second);
  await app.stop();
  await second.stop();
  await listen(await startWorkspace({ dataFile }));
  expect(heard).toEqual(['nobody is there']);
});

it('leaves nothing half written beside the file', async () => {
  const dataFile = await temporaryFile();
  const workspace = await startSlackEmulator({ dataFile });
  workspace.driver.as('ana').post('general', 'x');
  await workspace.stop();
  expect(await readdir(join(dataFile, '..'))).toEqual(['workspace.json']);
});

it('does not start on a file that is no snapshot', async () => {
  const dataFile = await temporaryFile();
  await writeFile(dataFile, '{"version": 2}');
  await expect(startSlackEmulator({ dataFile })).rejects.toMatchObject({ code: 'bad_config' });
});
