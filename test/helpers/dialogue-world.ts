import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ANA,
  BOB,
  CAROL,
  DEFAULT_SCOPES,
  type Installation,
  type Message,
  TEAM,
} from '@countersign/slack-emulator';
import { renderText } from '@countersign/slack-emulator/driver';
import type { LocalMail } from '../../src/app/demo-servers/mail/local-mail.ts';
import { type ExampleServer, startExampleServer } from '../fixtures/oauth/example-server.ts';
import { startTasksServer, type TasksServer } from '../fixtures/oauth/tasks-server.ts';
import { type Deploys, startDeploys } from '../fixtures/servers/deploys-http.ts';
import { effect } from '../fixtures/servers/effects.ts';
import { startTestApp, type TestApp } from './app.ts';
import type { Dialogue } from './dialogue.ts';
import { EMPTY_MAILBOXES, SHIPPED } from './dialogue-mailboxes.ts';
import { serverEntry } from './dialogue-servers.ts';
import { isService, type ServiceName, serviceEntries, startService } from './dialogue-services.ts';
import { API_KEY, earlierTokens, TASKS_PORT } from './earlier-data.ts';
import type { Answer } from './http-client.ts';
import { type Model, startModel } from './model.ts';
import { temporaryFolder } from './process.ts';
import type { StrictService } from './strict-service.ts';

const USERS = { ana: ANA, bob: BOB, carol: CAROL };
/** The permissions of the tools of `fixtures/servers/inbox.ts`, and of functions of programs. */
export const PERMISSIONS_FILE = new URL('../fixtures/permissions.json', import.meta.url).pathname;

/** What the dialogues' policy is unless they give one: reading is allowed, all else is asked. */
const POLICY = { rules: [{ name: 'reading', tools: ['*.list_*', '*.read_*'], action: 'allow' }] };

interface Thread {
  readonly channel: string;
  readonly ts: string;
}

/** A dialogue that is being performed: the app, the model, and where people talk. */
export interface DialogueWorld {
  readonly app: TestApp;
  readonly model: Model;
  /** The server that everybody signs in to for themselves, where the dialogue has it. */
  readonly tasks: TasksServer | null;
  /** The one that comes with the SDK's first line, likewise. */
  readonly example: ExampleServer | null;
  /** The server that goes down and comes up again, where the dialogue has it. */
  readonly deploys: Deploys | null;
  /** The services behind connectors that the dialogue has. */
  readonly services: ReadonlyMap<ServiceName, StrictService>;
  /** The channel that people write in when they do not use their direct messages. */
  readonly channel: string | null;
  /** The thread that the dialogue is in; null before the first word. */
  thread: Thread | null;
  /** By who began it: the last one of each. */
  readonly threads: Map<string, Thread>;
  /** Every version of every message of the app, for clicks on what is over. */
  readonly versions: Message[];
  /** Where mails come from outside, once one has. */
  readonly outside: { mail: LocalMail | null };
  /** What a client over HTTP was answered last; null while nobody has asked. */
  answer: Promise<Answer> | null;
}

export async function openWorld(dialogue: Dialogue): Promise<DialogueWorld> {
  const { setup } = dialogue;
  const isEarlier = setup['earlier data'];
  // The calls in the data have ids of their own.
  const model = await startModel({ callsBefore: isEarlier ? 100 : 0, paceMs: setup['model pace'] });
  const tasks = setup.servers.includes('tasks') ? await tasksServer(dialogue) : null;
  const example = setup.servers.includes('example') ? await startExampleServer() : null;
  let folder = '';
  const deploys = setup.servers.includes('deploys')
    ? await startDeploys((args) => effect(folder, 'deploys', args))
    : null;
  const signedInTo = new Map<unknown, string>([
    ...(tasks === null ? [] : [['tasks', tasks.url] as const]),
    ...(example === null ? [] : [['example', example.url] as const]),
  ]);
  const named = setup.servers.filter(isService);
  const services = new Map(
    await Promise.all(named.map(async (name) => [name, await startService(name)] as const)),
  );
  const trust = { trusted: setup.trusted, folder: () => folder };
  const servers = await Promise.all(
    [...setup.servers, ...(setup.inbox ? ['mail'] : [])].map((server) => {
      if (server === 'deploys') return { deploys: { url: deploys?.url, trusted: setup.trusted } };
      const service = isService(server) && services.get(server);
      if (service) return serviceEntries(server, service);
      const url = signedInTo.get(server);
      return url === undefined ? serverEntry(server, trust) : { [String(server)]: { url } };
    }),
  );
  const app = await startTestApp({
    modelUrl: setup.model === 'demo' ? null : model.url,
    // Links to sign in by lead to an address that stays over restarts.
    web: setup.web || signedInTo.size + services.size > 0,
    earlierData: isEarlier,
    installation: installationIn(dialogue),
    slack: {
      scopes: DEFAULT_SCOPES.filter((scope) => !setup['without scopes'].includes(scope)),
      missingMethods: setup['slack lacks'],
      groupMentions: setup['group mentions'],
    },
    file: {
      ...(setup.documents === undefined ? {} : { knowledge: { folders: [folderOf(setup.documents)] } }),
      policy: setup.policy ?? (setup.inbox ? SHIPPED.policy : POLICY),
      ...(setup.permissions !== false && { risk: { permissions: permissionsFile(setup.permissions) } }),
      ...(setup.inbox && { inbox: setup.inbox }),
      cards: setup.cards ?? (setup.inbox ? SHIPPED.cards : {}),
      ...(setup.requests === undefined
        ? {}
        : { requests: { open_for: durationOf(setup.requests.open_for) } }),
      ...(setup.agent === undefined ? {} : { agent: setup.agent }),
      routes: setup.routes,
      ...(setup.team === undefined ? {} : { team: setup.team }),
      memory: { enabled: setup.memory },
      admins: setup.admins.map((name) => USERS[name]),
      tool_review: setup.tool_review,
      mcpServers: Object.assign(
        setup.documents === undefined ? {} : { documents: { in_process: 'documents' } },
        ...servers,
      ),
    },
    env: {
      COUNTERSIGN_API_KEY: API_KEY,
      ...(setup['model time-out'] === undefined ? {} : { MODEL_TIMEOUT_MS: String(setup['model time-out']) }),
    },
  });
  folder = app.folder;
  if (setup.inbox) writeFileSync(join(app.dataDir, 'mail.json'), JSON.stringify(EMPTY_MAILBOXES));
  for (const [handle, members] of Object.entries(setup.groups)) setGroup(app, handle, members);
  const versions: Message[] = [];
  app.driver.onChange((change) => {
    const isShown = change.type === 'posted' || change.type === 'changed';
    if (isShown && change.message.byApp) versions.push(change.message);
  });
  const channel = placeOf(setup.where, app);
  return {
    app,
    model,
    tasks,
    example,
    deploys,
    services,
    channel,
    thread: null,
    threads: new Map(),
    versions,
    outside: { mail: null },
    answer: null,
  };
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function permissionsFile(given: true | string): string {
  return given === true ? PERMISSIONS_FILE : new URL(`../../${given}`, import.meta.url).pathname;
}

const EVENT_TEAMS = {
  ours: { team_id: TEAM.id },
  theirs: { team_id: 'T0ELSEWHERE' },
  null: { team_id: null },
  absent: {},
} as const;

function installationIn({ setup }: Dialogue): Installation {
  return {
    enterpriseId: setup.organisation === 'none' ? null : 'E0ORG',
    isOrgWide: setup.organisation === 'app in all workspaces',
    eventTeam: EVENT_TEAMS[setup['event team']],
  };
}

function placeOf(where: string, { driver }: TestApp): string | null {
  if (where === 'dm') return null;
  return where === 'group dm' ? driver.openGroup(Object.values(USERS)) : where.replace(/^#/, '');
}

function tasksServer({ setup }: Dialogue): Promise<TasksServer> {
  if (!setup['earlier data']) return startTasksServer(setup.tasks);
  return whenFree(() => startTasksServer({ ...setup.tasks, port: TASKS_PORT, given: earlierTokens() }));
}

/** The same dialogue may be under way beside this one, on another storage: its port is free when it is over. */
async function whenFree<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      await delay(500);
    }
  }
}

/** Makes a user group of these people, or of none. */
export function setGroup({ driver }: TestApp, handle: string, members: readonly string[]): void {
  const users = members.map((name) => driver.as(name).id);
  driver.setUsergroup({ id: `S0${handle.toUpperCase()}`, handle, name: handle, users });
}

export async function closeWorld({ app, model, tasks, example, outside }: DialogueWorld): Promise<void> {
  await outside.mail?.stop();
  await model.stop();
  await tasks?.stop();
  await example?.stop();
  await app.remove();
}

function durationOf(ms: number | null): string {
  return ms === null ? 'never' : `${Math.round(ms / 1000)}s`;
}

/** The lines of a text, without the blanks around them. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function holdsAll(shown: string, lines: readonly string[]): boolean {
  return lines.every((line) => shown.includes(line));
}

/** What the app says in the thread to everybody, in order. */
export function saidInThread({ app, thread }: DialogueWorld): Message[] {
  if (thread === null) throw new Error('Nobody has said anything yet.');
  return app.driver
    .messages(thread.channel, { threadTs: thread.ts })
    .filter((message) => message.byApp && message.ephemeralFor === null);
}

/** Waits until it is so; `expected` says what was waited for if it does not come about. */
export async function until<T>(
  { app }: DialogueWorld,
  expected: string,
  look: () => T | undefined | null | false,
): Promise<T> {
  try {
    return await app.driver.waitUntil(look);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Expected: ${expected}\n${why}`);
  }
}

/** The one message of the thread, now or soon, whose text holds all these lines. */
export function untilSaid(world: DialogueWorld, lines: readonly string[]): Promise<Message> {
  return until(world, `one message with\n${lines.join('\n')}`, () =>
    saidInThread(world).findLast((message) => holdsAll(world.app.driver.text(message), lines)),
  );
}

/** Whether a message or view has a button, menu entry or input that is called this. */
export function offers(blocks: Message['blocks'], label: string): boolean {
  const words = renderText({ blocks });
  return (
    words.includes(`[${label}]`) || /\[⋯ ([^\]]*)\]/.exec(words)?.[1]?.split(' / ').includes(label) === true
  );
}
