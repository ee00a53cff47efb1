import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type AddressObject, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { expect } from 'vitest';
import { z } from 'zod';
import { LocalMail } from '../../src/app/demo-servers/mail/local-mail.ts';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import { type DialogueWorld, holdsAll, linesOf, until } from './dialogue-world.ts';

/** The headers by which programs' mails are known. */
const AUTOMATIC = {
  newsletter: { 'List-Unsubscribe': '<mailto:off@letters.test>', Precedence: 'bulk' },
  'auto reply': { 'Auto-Submitted': 'auto-replied' },
} as const;

const mailSchema = z.strictObject({
  from: z.string(),
  subject: z.string(),
  text: z.string(),
  /** All of the headers; only whose mailbox the step names gets it. */
  to: z.string().optional(),
  cc: z.string().default(''),
  'reply to': z.string().default(''),
  /** Its Message-ID; one of its own unless a dialogue says which. */
  id: z.string().optional(),
  /** The Message-ID of the mail that it answers. */
  answers: z.string().optional(),
  automatic: z.enum(['newsletter', 'auto reply']).optional(),
});

const keptSchema = z.object({
  messages: z.array(
    z.object({
      mailbox: z.string(),
      folder: z.string(),
      mailId: z.string(),
      unread: z.boolean(),
      raw: z.string(),
    }),
  ),
});

/** A mailbox is looked at once a minute. */
const LOOK_MS = 61_000;
/** Of mails whose sender names no `id`. */
let sent = 0;

/** What comes into the mailboxes of the local workspace and goes out of them, and what the model is asked beside the runs. */
export const mailSteps: readonly StepKind[] = [
  stepKind(/^a mail comes to (?<who>ana|bob)$/, mailSchema, async (world, { who, value }) => {
    sent += 1;
    const { id = `mail-${sent}@outside.test`, answers, automatic } = value;
    const address = `${who}@example.com`;
    const transport = createTransport({ host: '127.0.0.1', port: await outside(world), ignoreTLS: true });
    await transport.sendMail({
      envelope: { from: 'postman@outside.test', to: [address] },
      from: value.from,
      to: value.to ?? address,
      cc: value.cc,
      replyTo: value['reply to'],
      subject: value.subject,
      text: value.text,
      date: new Date(world.app.now()),
      messageId: `<${id}>`,
      ...(answers !== undefined && { inReplyTo: `<${answers}>`, references: `<${answers}>` }),
      headers: automatic === undefined ? {} : AUTOMATIC[automatic],
    });
    transport.close();
  }),
  // What was begun by that has its next step, too.
  stepKind(/^the mailboxes are looked at$/, nothing, async (world) => {
    await world.app.pass(LOOK_MS);
    await world.app.pass(0);
  }),
  stepKind(/^mail (?<who>.+) is unread$/, nothing, async (world, { who }) => {
    expect(await statesOf(world, who)).toContain('unread');
  }),
  stepKind(/^mail (?<who>.+) is read$/, nothing, async (world, { who }) => {
    await expect.poll(() => statesOf(world, who), { timeout: 10_000 }).toEqual(['read']);
  }),
  // To whom, and what stands in them; each answers a mail that is there.
  stepKind(
    /^mails sent$/,
    z.array(z.strictObject({ to: z.string(), says: z.string() })),
    async (world, { value }) => {
      const found = async () => (await sentMails(world)).map(({ to }) => to);
      await expect.poll(found, { timeout: 10_000 }).toEqual(value.map(({ to }) => to));
      for (const [index, { text, isReply }] of (await sentMails(world)).entries()) {
        if (!holdsAll(text, linesOf(value[index]?.says ?? ''))) throw new Error(`It says:\n${text}`);
        if (!isReply) throw new Error(`It answers no mail that there is:\n${text}`);
      }
    },
  ),
  stepKind(/^(?<who>triage|lesson) has read$/, z.string(), async (world, { who, value }) => {
    const asked = () => questions(world, who).some((text) => holdsAll(text, linesOf(value)));
    await expect.poll(asked, { timeout: 10_000, message: questions(world, who).join('\n') }).toBe(true);
  }),
  stepKind(/^(?<who>triage|lesson) has not read$/, z.string(), (world, { who, value }) => {
    const found = questions(world, who).find((text) => text.includes(value));
    if (found !== undefined) throw new Error(`The model was asked with:\n${found}`);
  }),
  stepKind(/^(?<who>triage|lesson) was asked$/, z.int(), async (world, { who, value }) => {
    await expect.poll(() => questions(world, who).length, { timeout: 10_000 }).toBe(value);
  }),
  // Where the steps that follow look.
  stepKind(/^in the thread of mail$/, z.string(), async (world, { value }) => {
    const root = await until(world, `a thread of the mail ${value}`, () =>
      mailThreads(world).findLast(({ title }) => title.includes(value)),
    );
    world.thread = { channel: root.channel, ts: root.ts };
  }),
  // By their subjects, in order: there are no others.
  stepKind(/^threads of mails are$/, z.array(z.string()), (world, { value }) => {
    const titles = mailThreads(world).map(({ title }) => title.replace(/^Mail from [^:]*: /, ''));
    if (!isDeepStrictEqual(titles, value)) throw new Error(`There are: ${titles.join(', ')}`);
  }),
];

/** The port of an SMTP server for the same mailboxes as the app's. */
async function outside(world: DialogueWorld): Promise<number> {
  world.outside.mail ??= new LocalMail({
    file: mailFile(world),
    now: world.app.now,
    timeZone: 'Europe/Berlin',
    log: { warn: () => undefined },
  });
  return world.outside.mail.listen();
}

function mailFile({ app }: DialogueWorld): string {
  return join(app.dataDir, 'mail.json');
}

async function readMails(world: DialogueWorld) {
  const { messages } = keptSchema.parse(JSON.parse(readFileSync(mailFile(world), 'utf8')));
  return Promise.all(
    messages.map(async (one) => ({ ...one, parsed: await simpleParser(Buffer.from(one.raw, 'base64')) })),
  );
}

/** Of all mails with this subject in our people's inboxes, each state once. */
async function statesOf(world: DialogueWorld, subject: string): Promise<readonly string[]> {
  const found = (await readMails(world)).filter(
    ({ mailbox, folder, parsed }) =>
      folder === 'inbox' && mailbox.endsWith('@example.com') && parsed.subject === subject,
  );
  if (found.length === 0) throw new Error(`There is no mail ${subject}.`);
  return [...new Set(found.map(({ unread }) => (unread ? 'unread' : 'read')))];
}

async function sentMails(world: DialogueWorld) {
  const all = await readMails(world);
  const ids = all.map(({ mailId }) => mailId);
  return all
    .filter(({ folder }) => folder === 'sent')
    .map(({ parsed }) => ({
      to: [parsed.to ?? [], parsed.cc ?? []].flat().flatMap(addressesOf).join(', '),
      text: parsed.text ?? '',
      isReply: parsed.inReplyTo !== undefined && ids.includes(parsed.inReplyTo),
    }));
}

function addressesOf({ value }: AddressObject): string[] {
  return value.flatMap(({ address }) => address ?? []);
}

function questions({ model }: DialogueWorld, who: string): readonly string[] {
  return model.inbox.read(who === 'triage' ? 'triage' : 'lesson');
}

/** The first messages of the threads in which mails are answered, in order. */
function mailThreads({ app, channel }: DialogueWorld) {
  const places = [
    ...['ana', 'bob'].map((name) => app.driver.as(name).dmChannel),
    ...(channel ? [channel] : []),
  ];
  return places
    .flatMap((place) => app.driver.messages(place).map((message) => ({ ...message, channel: place })))
    .filter(
      ({ byApp, threadTs, ts, text }) => byApp && (threadTs ?? ts) === ts && text.startsWith('Mail from '),
    )
    .map((message) => ({ ...message, title: message.text.split('\n')[0] ?? '' }));
}
