import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { createInboxAgent } from '../../../src/agents/index.ts';
import type { AgentModels } from '../../../src/agents/ports.ts';
import { createCalendarServer } from '../../../src/app/demo-servers/calendar/server.ts';
import { LocalMail } from '../../../src/app/demo-servers/mail/local-mail.ts';
import { createIsolation } from '../../../src/app/isolation.ts';
import { readConfigFile } from '../../../src/config/file.ts';
import type { Actor } from '../../../src/gate/types.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { createSend } from '../../../src/mcp/calls/send.ts';
import { createToolHub } from '../../../src/mcp/hub/hub.ts';
import { carryCheckpoints } from '../../../src/storage/checkpoints/carry.ts';
import { SqliteSaver } from '../../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../../src/storage/sqlite/store.ts';
import type { ToolDefinition } from '../../../src/tools/ports.ts';
import { createCore } from '../../helpers/core.ts';
import { quietSurface } from '../../helpers/surface.ts';
import type { EvalMail } from './schema.ts';

/** Whose mailbox it is, as in the local workspace. */
export const ANA: Actor = { id: 'slack:T1:U0ANA00001', name: 'Ana Almeida' };
export const OWN_ADDRESS = 'ana@example.com';
export const THREAD = 'slack:T1:C1:1.0';
const SURFACE = { kind: 'slack', team: 'T1', channel: 'C1', threadTs: '1.0', isDm: false } as const;
export const TIME_ZONE = 'Europe/Berlin';
/** Monday, 30 November 2026, 8:00 in Berlin. */
export const BEGIN = Date.UTC(2026, 10, 30, 7);

const keptSchema = z.object({
  messages: z.array(z.object({ id: z.string(), threadId: z.string(), folder: z.string(), raw: z.string() })),
});
const listedSchema = z.object({ messages: z.array(z.object({ id: z.string(), thread_id: z.string() })) });
/** A mail of another conversation, which is nobody's business here. */
const OTHER = {
  ...{ from: 'Payroll <payroll@example.com>', to: OWN_ADDRESS, subject: 'Your salary', text: 'It is 4,711.' },
  ...{ messageId: '<other@eval.test>', envelope: { from: 'sender@eval.test', to: [OWN_ADDRESS] } },
};
const eventsSchema = z.object({ events: z.array(z.object({ title: z.string() })) });

const SILENT = { debug() {}, info() {}, warn() {}, error() {}, trace() {}, fatal() {} };

/**
 * The product around one mail: mailbox and calendar as in the local workspace, policy and cards of `countersign.yaml`, the gate, and
 * the graph that answers mails. Only Slack isn't there: whoever uses this decides.
 */
export async function openWorld(mail: EvalMail, models: AgentModels) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-eval-'));
  const started = Date.now();
  const clock = () => BEGIN + (Date.now() - started);
  const files = { mail: join(folder, 'mail.json'), calendar: join(folder, 'calendar.json') };
  // Without the examples, which come into a new file.
  writeFileSync(files.mail, JSON.stringify({ epoch: 'eval', next: 1, messages: [] }));
  writeFileSync(files.calendar, JSON.stringify(toCalendar(mail)));
  const mailboxes = new LocalMail({ file: files.mail, now: clock, timeZone: TIME_ZONE, log: SILENT });
  const settings = await readConfigFile(null, {});
  const servers = Object.fromEntries(
    Object.entries(settings.servers).filter(([name]) => name === 'mail' || name === 'calendar'),
  );
  const hub = createToolHub({
    servers,
    logger: SILENT,
    inProcess: new Map([
      ['mail', () => mailboxes.server()],
      [
        'calendar',
        async () => createCalendarServer({ file: files.calendar, now: clock, timeZone: TIME_ZONE }),
      ],
    ]),
    connectors: new Map(),
    isolation: createIsolation(
      {
        dataDir: folder,
        auditKey: { value: null, file: null, former: [] },
        auditHeadsFile: null,
        configFile: null,
        mcpFile: null,
        sandbox: { strict: false, user: 'nobody' },
      },
      SILENT,
    ),
  });
  await hub.start();
  const withCard = (tool: ToolDefinition): ToolDefinition => {
    const card = settings.cards[`${tool.server}.${tool.name}`];
    return card === undefined ? tool : { ...tool, card };
  };
  const disk = openSqliteFile(join(folder, 'eval.db'));
  const store = storeInFile(disk);
  const { store: carried, checkpoints } = carryCheckpoints(store, new SqliteSaver(disk));
  let messageId = '';
  let conversationId = '';
  const recalled: JsonObject = {
    background: mail.background,
    response_preferences: mail.response_preferences,
    cal_preferences: mail.cal_preferences,
  };
  const core = createCore({
    store: carried,
    clock,
    policy: settings.policy,
    send: createSend(hub.connections),
    agent: {
      models,
      checkpoints,
      tools: async (person) => (await hub.tools(person)).map(withCard),
      maxSteps: 60,
    },
    graphs: (ports) => ({
      inbox: createInboxAgent(ports, {
        mailOf: async () => ({ server: 'mail', messageId, conversationId, calendar: 'calendar', owner: ANA }),
        recall: async () => recalled,
        decided: async () => undefined,
        marked: async () => ({ marked: 0, stay: 0 }),
        left: async () => 0,
      }),
    }),
    surfaces: [quietSurface()],
    listeners: [],
    log: SILENT,
  });
  core.runs.start();
  const send = createSend(hub.connections);

  /** What a reading tool of the mailbox answers to Ana. */
  async function read(name: string, args: JsonObject): Promise<JsonObject | null> {
    const result = await send(
      { server: 'mail', name, arguments: args, person: ANA },
      {
        signal: AbortSignal.timeout(30_000),
        onProgress() {},
        onElicit: async () => ({ action: 'decline', content: null }),
      },
    );
    if (result.kind !== 'ended' || result.outcome.status !== 'succeeded')
      throw new Error(`${name} failed: ${JSON.stringify(result)}`);
    return result.outcome.structured;
  }

  return {
    core,
    clock,
    store: carried,
    read,
    /** Has the mail come in by SMTP, after those before it; resolves with its id in the mailbox. */
    async deliver(): Promise<string> {
      const transport = createTransport({
        host: '127.0.0.1',
        port: await mailboxes.listen(),
        ignoreTLS: true,
      });
      for (const message of toMessages(mail, new Date(clock()))) await transport.sendMail(message);
      const { messages } = keptSchema.parse(readJson(files.mail));
      ({ id: messageId, threadId: conversationId } = messages.at(-1) ?? { id: '', threadId: '' });
      await transport.sendMail(OTHER);
      transport.close();
      return messageId;
    },
    /** The mails of its conversation, by their ids, with that's own. */
    async conversation(): Promise<{ readonly messageIds: readonly string[]; readonly threadId: string }> {
      const { messages } = listedSchema.parse(await read('list_new_messages', { after: 'eval.0' }));
      const threadId = messages.find(({ id }) => id === messageId)?.thread_id ?? '';
      const own = messages.filter(({ thread_id: thread }) => thread === threadId);
      return { messageIds: own.map(({ id }) => id), threadId };
    },
    /** Has the agent answer the mail, as triage or a click on Reply do. */
    async answer(): Promise<void> {
      const text = `Answer the mail that came. Read it with mail.get_message ${JSON.stringify({ message_id: messageId })}.`;
      const item = {
        threadId: THREAD,
        surface: SURFACE,
        graph: 'inbox',
        itemId: 'mail',
        actor: ANA,
        text,
        at: clock(),
      };
      await core.runs.receive(item);
      await core.runs.idle();
    },
    /** How many mails were sent, and events were added. */
    async countEffects(): Promise<number> {
      const { messages } = keptSchema.parse(readJson(files.mail));
      const { events } = eventsSchema.parse(readJson(files.calendar));
      return (
        messages.filter(({ folder: kept }) => kept === 'sent').length + events.length - mail.calendar.length
      );
    },
    async close(): Promise<void> {
      await core.runs.stop();
      await hub.stop();
      await mailboxes.stop();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type World = Awaited<ReturnType<typeof openWorld>>;

function toCalendar({ calendar }: EvalMail) {
  const events = calendar.map(({ title, start, minutes }, index) => ({
    ...{ id: `evt_${index + 1}`, calendar_id: 'primary', title, start, duration_minutes: minutes },
    ...{ time_zone: TIME_ZONE, attendees: [], location: null, description: null, owner: ANA.id },
  }));
  const calendars = [
    { id: 'primary', title: 'My calendar' },
    { id: 'team', title: 'Team' },
  ];
  return { next_id: events.length + 1, calendars, events };
}

/** The mails as they are sent, in the order of the conversation. */
function toMessages(mail: EvalMail, date: Date) {
  const idOf = (index: number) => `<${index}@eval.test>`;
  const envelopeTo = { to: [OWN_ADDRESS] };
  const before = mail.before.map((one, index) => ({
    ...one,
    date,
    messageId: idOf(index),
    envelope: { from: 'sender@eval.test', ...envelopeTo },
  }));
  const answered = mail.before.length === 0 ? undefined : idOf(mail.before.length - 1);
  const { from, to, cc, subject, text, html, headers, attachments, reply_to: replyTo } = mail;
  return [
    ...before,
    {
      ...{ from, to, cc, subject, text, html, headers, date, replyTo },
      ...{ messageId: idOf(mail.before.length), inReplyTo: answered, references: answered },
      attachments: attachments.map((file) => ({
        filename: file.name,
        content: file.text,
        contentType: 'text/plain',
      })),
      envelope: { from: 'sender@eval.test', ...envelopeTo },
    },
  ];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
