import type { Message } from '@countersign/slack-emulator';
import { onTestFinished } from 'vitest';
import { calls } from '../../src/gate/store/collections.ts';
import { startTestApp } from './app.ts';
import { startMailModel } from './mail-model.ts';
import { mailServersForTest, OURS } from './mail-servers.ts';

/** How long a step may take, in milliseconds. */
const PATIENCE_MS = 20_000;

interface MailAppOptions {
  readonly mcpServers: Readonly<Record<string, object>>;
  /** Of the policy, after the one that lets mailboxes be read. */
  readonly rules?: readonly object[];
  /** @default false */
  readonly web?: boolean;
  /** @default 1 */
  readonly lookSeconds?: number;
}

/** The whole app with mail servers, and a model that has each mail answered. */
export async function startMailApp({ mcpServers, rules = [], web = false, lookSeconds = 1 }: MailAppOptions) {
  const model = await startMailModel();
  const reads = Object.keys(mcpServers).flatMap((name) =>
    ['list', 'get', 'check'].map((verb) => `${name}.${verb}_*`),
  );
  const app = await startTestApp({
    modelUrl: model.url,
    web,
    file: {
      mcpServers,
      policy: { rules: [{ tools: reads, action: 'allow' }, ...rules] },
      inbox: { look_seconds: lookSeconds },
    },
  });
  onTestFinished(async () => {
    await app.stopApp();
    await app.remove();
  });
  const { driver } = app;
  const ana = driver.as('ana');
  const shown = (channel = ana.dmChannel): readonly Message[] =>
    driver.messages(channel).filter(({ byApp, ephemeralFor }) => byApp && ephemeralFor === null);
  const find = (words: readonly string[], channel = ana.dmChannel): Promise<Message> => {
    const fits = (message: Message) => words.every((one) => driver.text(message).includes(one));
    const isNow = shown(channel).find(fits);
    if (isNow) return Promise.resolve(isNow);
    return driver.waitForMessage(
      (message) => message.channel === channel && message.byApp && fits(message),
      PATIENCE_MS,
    );
  };
  return {
    ...{ model, app, driver, ana, shown, find },
    /** Types `/countersign inbox …`; what only this person is shown then. */
    async types(words: string, channel?: string, who: 'ana' | 'bob' = 'ana'): Promise<string> {
      const person = driver.as(who);
      const before = person.ephemerals().length;
      await person.command(`/countersign inbox ${words}`, channel);
      if (person.ephemerals().length === before)
        await driver.waitForMessage(
          ({ ephemeralFor }) => ephemeralFor === person.id && person.ephemerals().length > before,
        );
      const told = person.ephemerals().at(-1);
      return told ? driver.text(told) : '';
    },
    /** Two seconds later, all that is due. */
    looks: (): Promise<void> => app.pass(2_000),
    /** The messages that begin threads of mails. */
    threads: (channel?: string): readonly Message[] =>
      shown(channel).filter(({ ts, threadTs }) => (threadTs ?? ts) === ts),
    card: (subject: string, channel?: string): Promise<Message> =>
      find(['Reply to ', ` · ‘${subject}’`, '[Accept]'], channel),
    /** How each call of a tool ended, as it's on record. */
    async called(tool: string): Promise<readonly string[]> {
      const { items } = await app.inStore((store) => store.query(calls, 'byTime', {}, 1_000));
      return items.flatMap(({ value }) => (value.tool.name === tool ? [value.state] : []));
    },
  };
}

/**
 * The same with Ana's mailbox at a real IMAP and SMTP server.
 *
 * @param entry of the mailbox's server, beside what it has
 */
export async function startRealMail({
  entry: more = {},
  rules = [],
}: Pick<MailAppOptions, 'rules'> & { readonly entry?: Readonly<Record<string, string>> } = {}) {
  const servers = await mailServersForTest();
  const entry = (given: Readonly<Record<string, string>>) => ({
    mail: { connector: 'imap', owner: 'U0ANA00001', mailbox: servers.entry(), ...given },
  });
  const opened = await startMailApp({ mcpServers: entry(more), rules });
  return {
    ...{ servers, ...opened },
    /** `mcpServers` with this beside what the mailbox's entry has. */
    entry,
    /** A mail from somewhere outside, by SMTP, is looked for. @returns its Message-ID */
    async mailComes(subject: string, given: Parameters<typeof servers.send>[0] = {}): Promise<string> {
      const messageId = `<${subject.toLowerCase().replaceAll(' ', '-')}@theirs.test>`;
      const mail = { from: 'Cleo <cleo@theirs.test>', to: OURS, text: `${subject}?`, messageId };
      await servers.send({ subject, ...mail, ...given });
      await opened.looks();
      return messageId;
    },
  };
}
