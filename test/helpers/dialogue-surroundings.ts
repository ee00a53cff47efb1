import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TEAM } from '@countersign/slack-emulator';
import { expect } from 'vitest';
import { z } from 'zod';
import type { AuditEntry } from '../../src/gate/audit/chain.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { addedFile, changedFile, effectsIn, goFile, heldFile, toldTo } from '../fixtures/servers/effects.ts';
import { isLedgerUnused } from '../fixtures/servers/ledger-http.ts';
import { entriesOf } from './audit.ts';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import {
  type DialogueWorld,
  holdsAll,
  linesOf,
  offers,
  saidInThread,
  setGroup,
  until,
  untilSaid,
} from './dialogue-world.ts';
import { API_KEY } from './earlier-data.ts';
import { objectsIn } from './hostile-calls.ts';
import { post } from './http-client.ts';
import { SCALED } from './storage.ts';

const argumentsSchema = z.custom<JsonObject>(isJsonObject, 'must be a map of arguments');
const callsSchema = z
  .union([z.array(z.record(z.string(), argumentsSchema)), z.record(z.string(), argumentsSchema)])
  .transform((given) => z.array(z.record(z.string(), argumentsSchema)).parse(repeated([given].flat())))
  .transform((given) =>
    given.flatMap((calls) => Object.entries(calls).map(([name, args]) => ({ name, arguments: args }))),
  );

/** An HTTP status, and after how many seconds to ask again; at once unless it says so. */
const failureSchema = z
  .union([z.int(), z.object({ status: z.int(), 'retry after': z.int() })])
  .transform((given) =>
    typeof given === 'number'
      ? { status: given, retryAfter: 0 }
      : { status: given.status, retryAfter: given['retry after'] },
  );

const spokenSchema = z.string().transform(repeatedIn);

/** `«words » × 40` as the words forty times: long texts in short files. */
function repeatedIn(text: string): string {
  return text.replace(/«([^»]*)» × (\d+)/g, (_, words: string, times: string) => words.repeat(Number(times)));
}

function repeated(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, it: unknown) =>
    typeof it === 'string' ? repeatedIn(it) : it,
  );
}

/** What the model says and hears. It answers in the order of the dialogue, and waits for its turn. */
export const modelSteps: readonly StepKind[] = [
  stepKind(/^model says$/, spokenSchema, (world, { value }) => world.model.says(value)),
  stepKind(/^model calls$/, callsSchema, (world, { value }) => world.model.calls(value)),
  stepKind(
    /^model says and calls$/,
    z.object({ says: spokenSchema, calls: callsSchema }),
    (world, { value }) => world.model.saysAndCalls(value.says, value.calls),
  ),
  stepKind(/^model fails$/, z.array(failureSchema), async (world, { value }) => {
    for (const failure of value) await world.model.fails(failure);
  }),
  stepKind(/^model is cut off after$/, spokenSchema, (world, { value }) => world.model.isCutOff(value)),
  stepKind(/^model is asked by$/, z.string(), (world, { value }) => world.model.askedBy(value)),
  stepKind(/^model stays silent$/, nothing, (world) => world.model.staysSilent()),
  stepKind(/^model heard$/, z.string(), async (world, { value }) => {
    const heard = await world.model.heard();
    if (!holdsAll(heard, linesOf(value))) throw new Error(`The model heard:\n${heard}`);
  }),
  stepKind(/^router chooses$/, z.array(z.string()), async (world, { value }) => world.model.routes(value)),
  stepKind(/^model is offered$/, z.array(z.string()), async (world, { value }) => {
    const offered = await world.model.offered();
    if (!isDeepStrictEqual([...offered].toSorted(), value.toSorted())) {
      throw new Error(`The model is offered ${offered.join(', ')}.`);
    }
  }),
  stepKind(/^model is offered among (?<who>\d+)$/, z.array(z.string()), async (world, { who, value }) => {
    const offered = await world.model.offered();
    const missing = value.filter((name) => !offered.includes(name));
    if (missing.length > 0 || offered.length !== Number(who)) {
      throw new Error(`The model is offered ${offered.length}: ${offered.join(', ')}.`);
    }
  }),
  stepKind(/^model is sent$/, z.string(), async (world, { value }) => {
    const sent = await world.model.sent();
    const missing = linesOf(value).filter((line) => !sent.includes(line));
    if (missing.length > 0) throw new Error(`The model is not sent “${missing.join('”, “')}”:\n${sent}`);
  }),
  stepKind(/^model is not sent$/, z.string(), async (world, { value }) => {
    const sent = await world.model.sent();
    const found = linesOf(value).filter((line) => sent.includes(line));
    if (found.length > 0) throw new Error(`The model is sent “${found.join('”, “')}”:\n${sent}`);
  }),
  stepKind(/^model did not hear$/, z.string(), async (world, { value }) => {
    const heard = await world.model.heard();
    if (heard.includes(value)) throw new Error(`The model heard:\n${heard}`);
  }),
];

const wordsSchema = z.object({ text: z.string() }).transform(({ text }) => text);
/** A button that asks once more before it is clicked, with its question. */
const confirmSchema = z
  .object({
    text: wordsSchema,
    confirm: z.object({ title: wordsSchema, text: wordsSchema, confirm: wordsSchema }),
  })
  .transform(({ text, confirm }) => ({
    button: text,
    question: `${confirm.title}\n${confirm.text}\n[${confirm.confirm}]`,
  }));

/** By the ids of its blocks, a message tells what an inbox has learned, or could: that comes a while after all else. */
const LEARNED = /^(?:learned:|offered$)/;
const isOfLearning = ({ blocks }: { readonly blocks: unknown }) =>
  objectsIn(z.json().parse(blocks)).some(({ block_id: id }) => typeof id === 'string' && LEARNED.test(id));

/** What everybody sees in the thread. */
export const threadSteps: readonly StepKind[] = [
  // Where the steps that follow look, and what they click on.
  stepKind(/^in the thread of$/, z.enum(['ana', 'bob', 'carol']), (world, { value }) => {
    const thread = world.threads.get(value);
    if (!thread) throw new Error(`${value} has begun none.`);
    world.thread = thread;
  }),
  stepKind(/^in the thread that begins with$/, z.string(), async (world, { value }) => {
    const channel = world.channel ?? world.thread?.channel ?? world.app.driver.as('ana').dmChannel;
    const root = await until(world, `a thread that begins with ${value}`, () =>
      world.app.driver
        .messages(channel)
        .findLast(({ threadTs, ts, text }) => (threadTs ?? ts) === ts && text.includes(value)),
    );
    world.thread = { channel, ts: root.ts };
  }),
  stepKind(/^(card|thread) shows$/, z.string(), async (world, { value }) => {
    await untilSaid(world, linesOf(value));
  }),
  stepKind(/^thread does not show$/, z.string(), (world, { value }) => {
    const shown = saidInThread(world).map((message) => world.app.driver.text(message));
    const line = linesOf(value).find((it) => shown.some((text) => text.includes(it)));
    if (line !== undefined) throw new Error(`The thread shows “${line}”:\n${shown.join('\n---\n')}`);
  }),
  // What stood there may go a moment after what comes in its place.
  stepKind(/^thread no longer shows$/, z.string(), async (world, { value }) => {
    await until(world, `a thread without ${value}`, () =>
      saidInThread(world).every((message) => !world.app.driver.text(message).includes(value)),
    );
  }),
  stepKind(/^thread ends$/, z.string(), async (world, { value }) => {
    const lines = linesOf(value);
    await until(world, `a last message with\n${lines.join('\n')}\nand no status`, () => {
      const last = saidInThread(world).findLast((message) => !isOfLearning(message));
      const status = world.app.driver.statuses(world.thread?.ts).at(-1)?.status ?? '';
      return last && holdsAll(world.app.driver.text(last), lines) && status === '' && last.stream === null;
    });
  }),
  stepKind(/^before (?<who>.+) they are asked$/, z.string(), async (world, { who, value }) => {
    const lines = linesOf(value);
    const questions = () =>
      saidInThread(world).flatMap(({ blocks }) =>
        objectsIn(z.json().parse(blocks)).flatMap((element) => confirmSchema.safeParse(element).data ?? []),
      );
    await until(world, `a button ${who} that asks\n${lines.join('\n')}`, () =>
      questions().some(({ button, question }) => button === who && holdsAll(question, lines)),
    );
  }),
  stepKind(/^(?<who>\d+) cards wait$/, nothing, async (world, { who }) => {
    const approvable = () => saidInThread(world).filter((message) => offers(message.blocks, 'Approve'));
    await until(world, `${who} messages with Approve`, () => approvable().length === Number(who));
  }),
  stepKind(/^(?<who>\d+) messages in the thread$/, nothing, (world, { who }) => {
    const count = saidInThread(world).length;
    if (count !== Number(who)) throw new Error(`There are ${count}.`);
  }),
  stepKind(/^files in the thread$/, z.array(z.string()), async (world, { value }) => {
    const { files } = world.app.driver.workspace;
    const names = () =>
      saidInThread(world).flatMap((message) => message.files.map((id) => files.get(id)?.name ?? id));
    // Calls of one answer run at once, so that either one's files may come first.
    const wanted = value.toSorted();
    await until(world, `the files ${value.join(', ')}`, () => isDeepStrictEqual(names().toSorted(), wanted));
  }),
  stepKind(/^status showed$/, z.string(), async (world, { value }) => {
    await until(world, `a status ${value}`, () =>
      world.app.driver.statuses(world.thread?.ts).some(({ status }) => status.includes(value)),
    );
  }),
];

const ACCOUNTS = {
  guest: { isRestricted: true },
  'a guest of one channel': { isRestricted: true, isUltraRestricted: true },
  deactivated: { deleted: true },
  // Being an admin there counts nothing here.
  'of another organisation': { teamId: 'T0ELSEWHERE', isAdmin: true },
  // Of the same organisation in Enterprise Grid.
  'of another workspace': { teamId: 'T0SISTER', workspaces: ['T0SISTER'] },
  'of two workspaces': { teamId: 'T0SISTER', workspaces: ['T0SISTER', TEAM.id] },
  'in Tokyo': { tz: 'Asia/Tokyo' },
} as const;

/** What becomes of people's accounts and groups. */
export const accountSteps: readonly StepKind[] = [
  stepKind(/^group (?<who>\w+) is$/, z.array(z.string()), (world, { who, value }) =>
    setGroup(world.app, who, value),
  ),
  stepKind(
    /^(?<who>ana|bob|carol) is now$/,
    z.enum([
      'guest',
      'a guest of one channel',
      'deactivated',
      'of another organisation',
      'of another workspace',
      'of two workspaces',
      'in Tokyo',
    ]),
    (world, { who, value }) => world.app.driver.setUser(who, ACCOUNTS[value]),
  ),
  stepKind(/^(?<who>ana|bob|carol) is back$/, nothing, (world, { who }) =>
    world.app.driver.setUser(who, {
      deleted: false,
      isRestricted: false,
      isUltraRestricted: false,
      isAdmin: who === 'ana',
      workspaces: null,
      teamId: world.app.driver.workspace.team.id,
    }),
  ),
  stepKind(/^channel is archived$/, nothing, (world) => {
    if (world.channel !== null) world.app.driver.archive(world.channel);
  }),
  stepKind(/^app is (?<who>removed from the workspace|installed again)$/, nothing, (world, { who }) =>
    world.app.driver.install(who === 'installed again'),
  ),
  stepKind(/^(?<who>ana|bob|carol|countersign) leaves the channel$/, nothing, (world, { who }) => {
    if (world.channel !== null) world.app.driver.kick(world.channel, who);
  }),
];

const eventsSchema = z.object({ events: z.array(z.object({ title: z.string(), start: z.string() })) });

/** When all processes have let go of a ledger that nobody asks, in milliseconds: `IDLE_AFTER` and some. */
const LET_GO_AFTER_MS = 2_000;

/** How long until a process knows whether Slack takes it: one that has nothing to call it for asks once a minute. */
const READY_WITHIN_MS = SCALED ? 70_000 : 10_000;

/** What has happened in the world, and what happens to the app. */
export const worldSteps: readonly StepKind[] = [
  stepKind(/^calendar holds$/, z.array(z.string()), async (world, { value }) => {
    await until(world, `a calendar with ${value.join(', ')}`, () =>
      isDeepStrictEqual(eventsOf(world), value),
    );
  }),
  stepKind(/^ledger holds$/, z.record(z.string(), z.int()), (world, { value }) => {
    const effects = effectsIn(world.app.folder);
    if (!isDeepStrictEqual(effects, value)) throw new Error(`What happened: ${JSON.stringify(effects)}`);
  }),
  stepKind(/^audit holds$/, z.array(z.string()), async (world, { value }) => {
    const held = () => world.app.inStore(async (store) => (await entriesOf(store)).map(auditLine));
    await expect.poll(held, { timeout: 10_000 }).toEqual(expect.arrayContaining(value));
  }),
  stepKind(/^nothing ran$/, nothing, (world) => {
    const ran = [...eventsOf(world), ...Object.keys(effectsIn(world.app.folder))];
    if (ran.length > 0) throw new Error(`These ran: ${ran.join(', ')}`);
  }),
  stepKind(/^(?<who>\w+) server goes on$/, nothing, (world, { who }) => {
    writeFileSync(goFile(world.app.folder, who), '');
  }),
  stepKind(/^(?<who>\w+) server holds the call$/, nothing, async (world, { who }) => {
    await expect.poll(() => existsSync(heldFile(world.app.folder, who)), { timeout: 10_000 }).toBe(true);
  }),
  stepKind(/^(?<who>\w+) was told$/, z.string(), async (world, { who, value }) => {
    await expect.poll(() => toldTo(world.app.folder, who), { timeout: 10_000 }).toContain(value);
  }),
  stepKind(/^deploys server goes down$/, nothing, (world) => world.deploys?.goDown()),
  stepKind(/^deploys server is up again$/, nothing, async (world) => void (await world.deploys?.comeUp())),
  stepKind(/^ledger server changes its tool$/, nothing, (world) => tellLedger(world, changedFile)),
  stepKind(/^ledger server lists another tool$/, nothing, (world) => tellLedger(world, addedFile)),
  stepKind(/^slack refuses$/, z.record(z.string(), z.string()), (world, { value }) => {
    for (const [method, error] of Object.entries(value)) {
      world.app.driver.fault({ method, times: 1, kind: 'error', error });
    }
  }),
  stepKind(
    /^slack refuses direct messages to (?<who>ana|bob|carol)$/,
    z.string(),
    (world, { who, value }) => {
      const { driver } = world.app;
      const channel = driver.as(who).id;
      driver.fault({ method: 'chat.postMessage', channel, times: 100, kind: 'error', error: value });
    },
  ),
  stepKind(/^slack breaks the connection$/, nothing, (world) => world.app.driver.disconnectSockets('break')),
  // Goes on at once: the model may have to speak before there is an answer.
  stepKind(/^a client posts to (?<who>\/\w+)$/, z.looseObject({}), (world, { who, value }) => {
    world.answer = post({ url: world.app.url, key: API_KEY }, who, value);
  }),
  stepKind(/^the client is answered$/, z.looseObject({}), async (world, { value }) => {
    expect((await world.answer)?.body).toMatchObject(value);
  }),
  stepKind(/^app is (?<who>ready|not ready)$/, z.string(), async (world, { who, value }) => {
    const ask = async () => {
      const response = await fetch(`${world.app.url}/readyz`);
      return { status: response.status, says: await response.text() };
    };
    await expect
      .poll(ask, { timeout: READY_WITHIN_MS })
      .toEqual({ status: who === 'ready' ? 200 : 503, says: expect.stringContaining(value) });
  }),
  stepKind(/^app restarts$/, nothing, (world) => world.app.restart()),
  stepKind(/^app restarts with the policy$/, z.record(z.string(), z.json()), (world, { value }) =>
    world.app.restart({ policy: value }),
  ),
  stepKind(/^app restarts while the model calls$/, callsSchema, async (world, { value }) => {
    const restarted = world.app.restart();
    await world.model.calls(value);
    await restarted;
  }),
  stepKind(/^app restarts while the model says$/, spokenSchema, async (world, { value }) => {
    const restarted = world.app.restart();
    await world.model.says(value);
    await restarted;
  }),
  stepKind(/^(?<who>\d+) ms go by$/, nothing, (_world, { who }) => delay(Number(who))),
  stepKind(/^minutes pass$/, z.number(), (world, { value }) => world.app.pass(value * 60_000)),
];

/** Who did what to which tool, with the decision, or with the attempt and why it was refused. */
async function tellLedger({ app }: DialogueWorld, file: (folder: string) => string): Promise<void> {
  // Every process has its own connection, and Home only shows that of one process.
  await expect.poll(() => isLedgerUnused(app.folder, LET_GO_AFTER_MS), { timeout: 20_000 }).toBe(true);
  writeFileSync(file(app.folder), '');
}

function auditLine({ actor, what, details }: AuditEntry): string {
  const { tool, decision, attempt, code } = details;
  const more = what === 'refused' ? [attempt, code] : [decision];
  return [actor.name, what, tool, ...more].filter((it) => typeof it === 'string').join(' ');
}

function eventsOf(world: DialogueWorld): string[] {
  const file = join(world.app.dataDir, 'calendar.json');
  if (!existsSync(file)) return [];
  const { events } = eventsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return events.map(({ title, start }) => `${title} ${start.slice(0, 16).replace('T', ' ')}`);
}
