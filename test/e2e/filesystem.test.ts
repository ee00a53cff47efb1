import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import type { Message } from '@countersign/slack-emulator';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ROOT, startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const NOTE = 'buy milk';

const requestSchema = z.object({
  messages: z.array(z.object({ tool_call_id: z.string().optional(), content: z.unknown() })),
});

/** The configuration that the README shows for tools of one's own, on this folder. */
function configOfReadme(folder: string): string {
  const [, yaml] = /```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  if (!yaml?.includes('/srv/shared')) throw new Error('the README has no configuration for /srv/shared');
  return yaml.replace('/srv/shared', JSON.stringify(folder));
}

/** Countersign with the reference file server on a folder, and a model that does as the test says. */
async function world() {
  const dataDir = temporaryFolder();
  // Not within the data, which servers don't see.
  const folder = realpathSync(temporaryFolder());
  writeFileSync(join(folder, 'note.txt'), NOTE);
  const file = join(dataDir, 'countersign.yaml');
  writeFileSync(file, configOfReadme(folder));

  const model = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  await model.start();
  onTestFinished(() => model.stop());
  const workspace = await startWorkspace({ botName: 'countersign' });
  const countersign = startProcess({
    dataDir,
    env: {
      COUNTERSIGN_CONFIG: file,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      OPENAI_API_KEY: 'key-of-the-scripted-model',
      OPENAI_BASE_URL: `${model.url}/v1`,
      MODEL: 'openai:scripted',
    },
  });
  await countersign.ready();
  await workspace.driver.waitForApp();
  const { driver } = workspace;
  return {
    folder,
    driver,
    ana: driver.as('ana'),
    /** Lets the model call one tool when it is asked `text`, and then say `answer`. */
    script(text: string, tool: string, args: object, answer: string): void {
      model.on(
        { userMessage: text, hasToolResult: false },
        { toolCalls: [{ id: `call-${tool}`, name: `files__${tool}`, arguments: JSON.stringify(args) }] },
      );
      model.on({ userMessage: text, hasToolResult: true }, { content: answer });
    },
    /** What the model was told that the call gave. */
    toldOf: (tool: string): string => {
      const messages = model.getRequests().flatMap(({ body }) => requestSchema.parse(body).messages);
      const told = messages.findLast((message) => message.tool_call_id === `call-${tool}`);
      return JSON.stringify(told?.content ?? null);
    },
    shows: (words: string): Promise<Message> =>
      driver.waitForMessage((message) => driver.text(message).includes(words), 20_000),
  };
}

it('reads a file at once where the policy allows reading', async () => {
  const { folder, driver, ana, script, shows, toldOf } = await world();
  script('what is in my note?', 'read_text_file', { path: join(folder, 'note.txt') }, 'Milk is in it.');
  const ts = ana.dm('what is in my note?');
  await shows('Milk is in it.');
  expect(toldOf('read_text_file')).toContain(NOTE);
  const replies = driver.messages(ana.dmChannel, { threadTs: ts }).slice(1);
  expect(replies.map((message) => driver.text(message))).toEqual([
    'Milk is in it.\nRead: 1 file\n[⋯ Show what was read]',
  ]);
});

it('waits before it writes a file, and then writes what was shown', async () => {
  const { folder, ana, driver, script, shows, toldOf } = await world();
  const path = join(folder, 'note.txt');
  script('add eggs', 'write_file', { path, content: 'buy milk and eggs' }, 'Eggs are in it now.');
  ana.dm('add eggs');
  const card = await shows('[Approve]');
  expect(driver.text(card)).toContain('Content  buy milk and eggs');
  expect(readFileSync(path, 'utf8')).toBe(NOTE);
  await ana.click(card.ts, 'Approve');
  await shows('Eggs are in it now.');
  expect(readFileSync(path, 'utf8')).toBe('buy milk and eggs');
  expect(toldOf('write_file')).toContain('Successfully wrote');
});

it('never does what the policy denies, and tells the model the reason', async () => {
  const { folder, ana, driver, script, shows, toldOf } = await world();
  const [source, destination] = [join(folder, 'note.txt'), join(folder, 'other.txt')];
  script('move my note', 'move_file', { source, destination }, 'I may not.');
  const ts = ana.dm('move my note');
  await shows('I may not.');
  expect(readFileSync(source, 'utf8')).toBe(NOTE);
  expect(toldOf('move_file')).toContain('Files stay where they are.');
  expect(driver.messages(ana.dmChannel, { threadTs: ts })).toHaveLength(2);
});

it('leaves the file alone when the write is rejected, and tells the model why', async () => {
  const { folder, ana, script, shows, toldOf } = await world();
  const path = join(folder, 'note.txt');
  script('add eggs', 'write_file', { path, content: 'buy eggs' }, 'Then not.');
  ana.dm('add eggs');
  await ana.click((await shows('[Approve]')).ts, 'Feedback');
  await ana.waitForModal();
  await ana.submit({ 'What should be different?': 'we have eggs' });
  await shows('Then not.');
  expect(readFileSync(path, 'utf8')).toBe(NOTE);
  expect(toldOf('write_file')).toContain('we have eggs');
});
