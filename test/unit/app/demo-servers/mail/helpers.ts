import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { LocalMail } from '../../../../../src/app/demo-servers/mail/local-mail.ts';
import { PERSON_META } from '../../../../../src/mcp/index.ts';

/** A Monday at 8:00 in Berlin. */
const NOW = Date.UTC(2026, 10, 23, 7);
export const ANA = 'slack:T0LOCAL001:U0ANA00001';
export const BOB = 'slack:T0LOCAL001:U0BOB00001';
export const CAROL = 'slack:T0LOCAL001:U0CAROL001';

const outlineSchema = z.object({
  id: z.string(),
  from: z.string(),
  subject: z.string(),
  unread: z.boolean(),
  automatic: z.string().nullable(),
});
const listSchema = z.object({
  messages: z.array(outlineSchema),
  next: z.string(),
  restarted: z.boolean(),
});

/** The mailboxes as the program has them, with a client that calls for people. */
export async function openLocalMail() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mail-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'mail.json');
  const mail = new LocalMail({ file, now: () => NOW, timeZone: 'Europe/Berlin', log: { warn: () => {} } });
  onTestFinished(() => mail.stop());
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await (await mail.server()).connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());

  /** A call for a person, as the hub sends one; gives its structured answer. */
  async function call(person: string, name: string, args: Readonly<Record<string, unknown>> = {}) {
    const result = await client.callTool({ name, arguments: { ...args }, _meta: { [PERSON_META]: person } });
    expect(result, JSON.stringify(result.content)).not.toHaveProperty('isError', true);
    return result.structuredContent ?? {};
  }

  return {
    file,
    mail,
    client,
    call,
    /** What is new in somebody's inbox, from its beginning in the examples on. */
    async news(person: string, after?: string) {
      const asked = after === undefined ? { unread_days: 3 } : { after };
      return listSchema.parse(await call(person, 'list_new_messages', asked));
    },
    /** Sends a mail from outside, as any program does. */
    async sendIn(message: {
      from: string;
      to: string;
      subject: string;
      text: string;
      messageId?: string;
      inReplyTo?: string;
    }) {
      const transport = createTransport({ host: '127.0.0.1', port: await mail.listen(), ignoreTLS: true });
      await transport.sendMail({ ...message, ...(message.inReplyTo && { references: message.inReplyTo }) });
      transport.close();
    },
  };
}

/** Why a tool refused. */
export async function refusal(
  client: Client,
  {
    person,
    name,
    args,
  }: {
    readonly person: string | null;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  },
): Promise<string> {
  const meta = person === null ? {} : { _meta: { [PERSON_META]: person } };
  const result = await client.callTool({ name, arguments: { ...args }, ...meta });
  expect(result.isError).toBe(true);
  return z.array(z.object({ text: z.string() })).parse(result.content)[0]?.text ?? '';
}
