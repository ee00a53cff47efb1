import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_SCOPES } from '@countersign/slack-emulator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../fixtures/mcp/harness.ts';
import { ROOT, sourceFiles } from '../helpers/sources.ts';
import { quiet, startWorkspace } from '../helpers/workspace.ts';
import { checkSlack, manifestSchema } from '../slack-check/check.ts';
import { SURFACES, type Surface } from '../slack-check/surfaces.ts';

const MAIN = join(ROOT, 'test/slack-check/main.ts');
const SCOPES = [...DEFAULT_SCOPES];
const WOULD_ASK = /^Would ask Slack about the token, \d+ scopes, the manifest, \d+ messages and \d+ views\.$/;

interface Asked {
  readonly surfaces?: readonly Surface[];
  readonly scopes?: readonly string[];
  readonly name?: string;
  readonly botToken?: string;
}

async function ask({ surfaces = [], scopes = SCOPES, name = 'Countersign', botToken }: Asked = {}) {
  const workspace = await startWorkspace({ scopes });
  const lines: string[] = [];
  const isFine = await checkSlack({
    botToken: botToken ?? workspace.botToken,
    configurationToken: workspace.configurationToken,
    client: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 }, logger: quiet },
    manifest: manifestSchema.parse({
      display_information: { name },
      oauth_config: { scopes: { bot: SCOPES } },
    }),
    surfaces,
    print: (line) => void lines.push(line),
  });
  return { isFine, lines, posted: workspace.driver.calls('chat.postMessage').length };
}

/** Runs the script as `npm run slack:check` does. */
async function run(env: Record<string, string>, ...args: string[]) {
  const inherited = { PATH: process.env.PATH ?? '' };
  const command = ['--conditions=countersign-source', MAIN, ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...inherited, ...env },
    });
    return { code: 0, lines: stdout.trim().split('\n') };
  } catch (error) {
    const { code, stdout } = z.object({ code: z.number(), stdout: z.string() }).parse(error);
    return { code, lines: stdout.trim().split('\n') };
  }
}

describe('npm run slack:check', () => {
  it('asks Slack about the token, the manifest and everything that is shown, and posts nothing', async () => {
    const workspace = await startWorkspace();
    const { code, lines } = await run({
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_CONFIG_TOKEN: workspace.configurationToken,
      SLACK_API_URL: workspace.apiUrl,
    });
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(lines).toHaveLength(SURFACES.length + 3);
    expect(lines.slice(0, 3)).toEqual([
      'ok    token: countersign in Local workspace',
      'ok    scopes',
      'ok    manifest.yml',
    ]);
    expect(code).toBe(0);
    expect(workspace.driver.calls('chat.postMessage')).toEqual([]);
  });

  it('without a token lists what it would send', async () => {
    const { code, lines } = await run({});
    expect(code).toBe(0);
    expect(lines).toHaveLength(SURFACES.length + 2);
    expect(lines.at(-2)).toMatch(WOULD_ASK);
    expect(lines.at(-1)).toBe('Set SLACK_BOT_TOKEN to do so.');
  });

  it('lists it as JSON if asked to', async () => {
    const { code, lines } = await run({ SLACK_BOT_TOKEN: 'xoxb-unused' }, '--payloads');
    expect(code).toBe(0);
    const payloads = lines.filter((line) => line.startsWith('{')).map((line): unknown => JSON.parse(line));
    const shown = SURFACES.map(({ payload }) => ('text' in payload ? { blocks: payload.blocks } : payload));
    expect(payloads).toEqual(JSON.parse(JSON.stringify(shown)));
  });

  it('without a network says so within seconds, and lists what it would send', async () => {
    const apiUrl = `http://127.0.0.1:${await freePort()}/api/`;
    const { code, lines } = await run({ SLACK_BOT_TOKEN: 'xoxb-unused', SLACK_API_URL: apiUrl });
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([
      expect.stringMatching(/^FAIL {2}token: .*ECONNREFUSED/),
    ]);
    expect(lines).toHaveLength(SURFACES.length + 2);
    expect(lines.at(-1)).toMatch(WOULD_ASK);
  });

  it('with a token that Slack rejects fails, and prints no token', async () => {
    const workspace = await startWorkspace();
    const { code, lines } = await run({ SLACK_BOT_TOKEN: 'xoxb-wrong', SLACK_API_URL: workspace.apiUrl });
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [expect.stringMatching(/^FAIL {2}token: Slack does not know .* Set SLACK_BOT_TOKEN to /)],
    });
  });
});

it('with the app-level token in place of the bot token says so, and asks nothing', async () => {
  const { isFine, lines } = await ask({ botToken: 'xapp-1-wrong' });
  expect(isFine).toBe(false);
  expect(lines).toEqual([
    expect.stringMatching(
      /^FAIL {2}token: SLACK_BOT_TOKEN is an app-level token, which goes into SLACK_APP_TOKEN\./,
    ),
  ]);
});

describe('what Slack refuses', () => {
  it('is a line with the path in the card, and the rest is still asked about', async () => {
    const [fine] = SURFACES;
    const bad: Surface = {
      kind: 'message',
      name: 'planted',
      payload: {
        text: 'x',
        blocks: [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }],
      },
    };
    const { isFine, lines } = await ask({ surfaces: [bad, ...(fine ? [fine] : [])] });
    expect(isFine).toBe(false);
    expect(lines.at(-2)).toBe(
      'FAIL  message: planted: invalid_message; /blocks/0/text/text must be less than 151 characters',
    );
    expect(lines.at(-1)).toMatch(/^ok {4}message: call card/);
  });

  it('is a scope that the app was installed without', async () => {
    const { isFine, lines } = await ask({ scopes: SCOPES.filter((scope) => scope !== 'files:write') });
    expect(isFine).toBe(false);
    expect(lines).toContain('FAIL  scopes: missing files:write: add them and install the app again');
  });

  it('is a manifest', async () => {
    const { isFine, lines } = await ask({ name: 'A name of more than thirty-five characters' });
    expect(isFine).toBe(false);
    expect(lines.find((line) => line.includes('manifest'))).toMatch(
      /^FAIL {2}manifest\.yml: invalid_manifest; \/display_information\/name /,
    );
  });
});

it('every function of src that makes a message or a view is among what is sent', () => {
  const made = sourceFiles('src/slack').flatMap(({ code }) =>
    [
      ...code.matchAll(
        /export function (\w+)\((?:[^()]|\([^()]*\))*\): (?:Message<KnownBlock>(?:\[\])?|ModalView|HomeView) \{/g,
      ),
    ].map(([, name]) => name),
  );
  const surfaces = sourceFiles('test/slack-check').filter(({ path }) => path.endsWith('surfaces.ts'));
  expect(made.length).toBeGreaterThan(40);
  // `modal` is the frame of all modals and `listMessage` of all lists, and the link to sign in stands in a modal.
  const inOthers = ['modal', 'listMessage', 'connectLink'];
  const used = new Set(surfaces.flatMap(({ code }) => code.match(/\w+(?=\()/g) ?? []));
  expect(made.filter((name) => name !== undefined && !used.has(name) && !inOthers.includes(name))).toEqual(
    [],
  );
});
