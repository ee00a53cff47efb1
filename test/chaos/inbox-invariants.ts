import type { MailRecord } from '../../src/inbox/collections.ts';
import { draftOf, MOST_DRAFTS } from './inbox-model.ts';
import { callsOfMails, EDITED, mailsOf, repliesTo, seenTimes, unrestOfInbox } from './inbox-person.ts';
import { type MailPlan, senderOf } from './inbox-plan.ts';
import type { World } from './world.ts';

/** What became of a mail. */
interface FoundMail {
  readonly records: readonly Pick<MailRecord, 'state' | 'verdict'>[];
  /** The calls that name it. */
  readonly calls: readonly {
    readonly callId: string;
    readonly state: string;
    readonly decision: { readonly type: string } | null;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly tool: { readonly name: string };
  }[];
  /** The texts that came to whoever wrote it. */
  readonly got: readonly string[];
  /** How many copies of it are marked as read. */
  readonly seen: number;
  /** How many messages in Slack have opened it. */
  readonly opened: number;
}

/** The threads in which mails are dealt with. */
export async function threadsOfInbox(world: World): Promise<readonly string[]> {
  const opened = (await mailsOf(world)).flatMap(({ value }) => value.slackThread ?? []);
  return [...new Set([...opened, ...(await callsOfMails(world)).map(({ threadId }) => threadId)])];
}

/** What does not hold of the mailbox: mails that are lost or taken twice, and what was sent or marked otherwise than approved. */
export async function violationsOfInbox(world: World): Promise<readonly string[]> {
  const { inbox } = world.plan;
  if (inbox === null || world.mailServers === null) return [];
  const [taken, calls] = [await mailsOf(world), await callsOfMails(world)];
  const perMail = inbox.mails.map(async (mail) => {
    const records = taken.flatMap(({ value }) => (value.subject === mail.subject ? value : []));
    const ids = records.map(({ messageId }) => messageId);
    return violationsOfMail(mail, {
      records,
      calls: calls.filter(({ arguments: args }) => ids.includes(String(args.message_id))),
      got: await repliesTo(world, senderOf(mail)),
      seen: await seenTimes(world, mail.subject),
      opened: openedFor(world, mail),
    });
  });
  return [
    ...(await unrestOfInbox(world)).map((what) => `the inbox never came to rest: ${what}`),
    ...(await Promise.all(perMail)).flat(),
  ];
}

/** What does not hold of one mail, in words. */
export function violationsOfMail(
  mail: MailPlan,
  { records, calls, got, seen, opened }: FoundMail,
): readonly string[] {
  const problems: string[] = [];
  const report = (isBroken: boolean, what: string): void => {
    if (isBroken) problems.push(`${mail.subject}: ${what}`);
  };
  const isAnswered = mail.verdict === 'respond';
  report(records.length !== 1, `is on record ${records.length} times`);
  report(opened !== (isAnswered ? 1 : 0), `was opened ${opened} times`);
  const [record] = records;
  report(record?.verdict !== mail.verdict, `was sorted as ${record?.verdict}`);
  report(mail.verdict === 'ignore' && record?.state !== 'ignored', `is ${record?.state}`);

  const sends = calls.filter(({ tool }) => tool.name === 'reply_to_message');
  // Whose run has failed, as where the store didn't answer, is listed with the reason.
  const isListed = record?.state === 'listed';
  report(isAnswered && sends.length === 0 && !isListed, 'was never answered by a draft');
  report(mail.wish === 'ignore' && got.length > 0, 'was answered although its draft was ignored');
  for (const { callId, state, decision, arguments: args } of sends) {
    const times = got.filter((text) => text === args.body).length;
    const isApproved = decision?.type === 'approve' || decision?.type === 'edit';
    report(times > 1, `${callId} was sent ${times} times`);
    report(times > 0 && !isApproved, `${callId} was sent, and nobody approved it`);
    report(state === 'succeeded' && times === 0, `${callId} is recorded as sent, and never came`);
    report(state !== 'succeeded' && times > 0, `${callId} was sent, and is ${state}`);
  }
  const drafts = Array.from({ length: MOST_DRAFTS }, (_, round) => draftOf(senderOf(mail), round));
  for (const text of got) {
    const isShown =
      [EDITED, ...drafts].includes(text) && sends.some(({ arguments: args }) => args.body === text);
    report(!isShown, `sent what no card showed: ${text}`);
  }

  const marks = calls.filter(({ tool, state }) => tool.name === 'mark_as_read' && state === 'succeeded');
  report(marks.length > 1, `was marked as read by ${marks.length} calls`);
  report(seen !== marks.length, `${seen} copies of it are read, by ${marks.length} calls`);
  report(seen > 0 && mail.wish === 'nothing', 'was marked as read, and nobody asked for it');
  report(
    (record?.state === 'done') !== marks.length > 0,
    `is ${record?.state}, and read ${marks.length} times`,
  );
  return problems;
}

/** How many messages in Slack have opened a mail. That it came while another one is answered is told by one that isn't counted. */
function openedFor({ workspace: { driver } }: World, { subject }: MailPlan): number {
  return [...driver.workspace.messages.values()]
    .flat()
    .filter(({ byApp }) => byApp)
    .map((message) => driver.text(message))
    .filter((text) => text.includes('[Show the mail]') && text.includes(`The matter of ${subject}.`))
    .filter((text) => !text.startsWith('A newer mail of this conversation')).length;
}
