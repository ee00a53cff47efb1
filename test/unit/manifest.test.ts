import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_SCOPES, DEFAULT_SUBSCRIPTIONS } from '@countersign/slack-emulator';
import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { COMMANDS, commandForms } from '../../src/slack/texts/commands.ts';
import { ROOT, sourceFiles } from '../helpers/sources.ts';

/** Scopes of each Web API method that the code may use, from Slack's method reference. */
const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  'agents.sessions.setStatus': ['chat:write'],
  'apps.connections.open': [],
  'assistant.threads.setStatus': ['assistant:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'assistant.threads.setTitle': ['assistant:write'],
  'auth.test': [],
  'bots.info': ['users:read'],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  chatStream: ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.members': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'files.uploadV2': ['files:write'],
  filesUploadV2: ['files:write'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'views.open': [],
  'views.publish': [],
  'views.push': [],
  'views.update': [],
};

/** Scopes that Slack asks for before it sends an event. */
const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  agent_session_stopped: ['assistant:write'],
  app_context_changed: ['assistant:write'],
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  file_change: ['files:read'],
  file_deleted: ['files:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  tokens_revoked: [],
};

const manifest = z
  .object({
    features: z.object({
      slash_commands: z.array(z.object({ command: z.string(), usage_hint: z.string() })),
      agent_view: z.object({ agent_description: z.string().max(300) }),
      app_home: z.object({ home_tab_enabled: z.literal(true), messages_tab_enabled: z.literal(true) }),
    }),
    oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
    settings: z.object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()) }),
      interactivity: z.object({ is_enabled: z.literal(true) }),
      socket_mode_enabled: z.literal(true),
    }),
  })
  .parse(parse(readFileSync(join(ROOT, 'manifest.yml'), 'utf8')));
const scopes = manifest.oauth_config.scopes.bot;
const events = manifest.settings.event_subscriptions.bot_events;

const code = sourceFiles('src')
  .filter(({ path }) => path.startsWith('src/slack/') || path.startsWith('src/app/'))
  .map((file) => file.code)
  .join('\n');
const listened = [
  ...new Set([...code.matchAll(/\.event\(\s*'([\w.]+)'/g)].flatMap(([, name = '']) => eventsOf(name))),
];
const usesMessage = /\b(?:app|bolt)\.message\(/.test(code);
const heard = [...new Set([...listened, ...(usesMessage ? eventsOf('message') : [])])];
const methods = methodsIn(code);

/** A listener for `message` hears what comes of several subscriptions. */
function eventsOf(name: string): string[] {
  return name === 'message' ? ['message.channels', 'message.groups', 'message.im', 'message.mpim'] : [name];
}

/** Every method that a WebClient has, as `chat.postMessage`; taken from a live client. */
function webApiMethods(): string[] {
  const collect = (value: unknown, path: string): string[] => {
    if (typeof value === 'function') return [path];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, child]) => collect(child, `${path}.${key}`));
  };
  const families = Object.entries(new WebClient()).filter(
    ([key]) => /^[a-z]+$/i.test(key) && key !== 'axios',
  );
  return [...families.flatMap(([key, value]) => collect(value, key)), 'chatStream', 'filesUploadV2'];
}

/** The Web API methods that some code names; `usergroups.users.list` is not `users.list` too. */
function methodsIn(text: string): string[] {
  let rest = text;
  return webApiMethods()
    .sort((a, b) => b.length - a.length)
    .filter((method) => {
      const before = rest;
      const property = method.split('.').join(String.raw`\s*\??\.\s*`);
      const name = method.replaceAll('.', String.raw`\.`);
      rest = rest.replace(new RegExp(String.raw`\.\s*${property}\b|['"]${name}['"]`, 'g'), ' ');
      return rest !== before;
    });
}

describe('the commands', () => {
  it('are all in the hint that Slack shows as somebody types', () => {
    const [command] = manifest.features.slash_commands;
    expect(command?.usage_hint.split(' | ')).toEqual(Object.keys(COMMANDS));
  });

  it('are listed in the README as help lists them', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `(\/countersign [^`]*)` +\| (.*?) +\|$/gm)];
    expect(rows.map(([, typed, does]) => ({ typed, does }))).toEqual(commandForms());
  });
});

describe('manifest.yml', () => {
  it('is compared with code that listens and calls', () => {
    expect(webApiMethods()).toEqual(
      expect.arrayContaining(['chat.postMessage', 'assistant.threads.setStatus']),
    );
    expect(heard.length).toBeGreaterThan(0);
    expect(methods.length).toBeGreaterThan(0);
  });

  it('subscribes to every event that the code listens to', () => {
    expect(heard.filter((event) => !events.includes(event))).toEqual([]);
  });

  it('subscribes to no event that nobody listens to', () => {
    expect(events.filter((event) => !heard.includes(event))).toEqual([]);
  });

  it('asks for the scope of every event and method that the code uses', () => {
    const unknown = [
      ...methods.filter((method) => !(method in METHOD_SCOPES)),
      ...events.filter((event) => !(event in EVENT_SCOPES)),
    ];
    expect(unknown).toEqual([]);
    expect([...needed()].filter((scope) => !scopes.includes(scope))).toEqual([]);
  });

  it('asks for no scope that nothing needs', () => {
    expect(scopes.filter((scope) => !needed().has(scope))).toEqual([]);
  });

  it('is what the local workspace grants and sends, so that what works there works in Slack', () => {
    expect([...DEFAULT_SCOPES].sort()).toEqual([...scopes].sort());
    expect([...DEFAULT_SUBSCRIPTIONS].sort()).toEqual([...events].sort());
  });

  it('offers exactly the slash commands that the code handles', () => {
    const handled = [
      ...new Set([...code.matchAll(/\.command\(\s*'(\/[^']+)'/g)].map(([, command]) => command)),
    ];
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual(handled);
  });
});

function needed(): Set<string> {
  return new Set([
    ...methods.flatMap((method) => METHOD_SCOPES[method] ?? []),
    ...events.flatMap((event) => EVENT_SCOPES[event] ?? []),
    ...(manifest.features.slash_commands.length > 0 ? ['commands'] : []),
  ]);
}
