import type { CallRecord } from '../../src/gate/call/record.ts';
import { draftOf } from './inbox-model.ts';
import { callsOfMails, EDITED, mailsOf, repliesTo, seenTimes, unrestOfInbox } from './inbox-person.ts';
import { type MailPlan, senderOf } from './inbox-plan.ts';
import type { World } from './world.ts';

/** The threads in which mails are dealt with. */
export async function threadsOfInbox(world: World): Promise<readonly string[]> {
  const opened = (await mailsOf(world)).flatMap(({ value }) => value.slackThread ?? []);
  return [...new Set([...opened, ...(await callsOfMails(world)).map(({ threadId }) => threadId)])];
}

/** What does not hold of the mailbox: mails that are lost or taken twice, and what was sent or marked otherwise than approved. */
export async function violationsOfInbox(world: World): Promise<readonly string[]> {
  const { inbox } = world.plan;
  if (inbox === null || world.mailServers === null) return [];
  const found = await callsOfMails(world);
  const perMail = await Promise.all(inbox.mails.map((mail) => violationsOfMail(world, mail, found)));
  return [
    ...(await unrestOfInbox(world)).map((what) => `the inbox never came to rest: ${what}`),
    ...perMail.flat(),
  ];
}

async function violationsOfMail(
  world: World,
  mail: MailPlan,
  found: readonly CallRecord[],
): Promise<string[]> {
  const problems: string[] = [];
  const report = (isBroken: boolean, what: string): void => {
    if (isBroken) problems.push(`${mail.subject}: ${what}`);
  };
  const records = (await mailsOf(world)).filter(({ value }) => value.subject === mail.subject);
  report(records.length !== 1, `is on record ${records.length} times`);
  const [record] = records;
  if (!record) return problems;
  const { state, verdict, messageId } = record.value;
  report(verdict !== mail.verdict, `was sorted as ${verdict}`);
  const own = found.filter(({ arguments: args }) => args.message_id === messageId);
  const sends = own.filter(({ tool }) => tool.name === 'reply_to_message');
  const marks = own.filter(({ tool, state: end }) => tool.name === 'mark_as_read' && end === 'succeeded');

  const roots = openedFor(world, mail);
  report(roots !== (mail.verdict === 'respond' ? 1 : 0), `was opened ${roots} times`);
  report(mail.verdict === 'respond' && sends.length === 0, 'was never answered by a draft');

  const got = ((await world.mailServers?.read(senderOf(mail))) ?? []).map(({ text = '' }) => text.trim());
  const wanted = sends.filter(({ state: end }) => end === 'succeeded');
  report(
    got.length !== wanted.length,
    `${got.length} replies came, and ${wanted.length} calls are known to have sent one`,
  );
  for (const call of sends) {
    const times = (await repliesTo(world, call)).length;
    const isApproved = call.decision?.type === 'approve' || call.decision?.type === 'edit';
    report(times > 1, `${call.callId} was sent ${times} times`);
    report(times > 0 && !isApproved, `${call.callId} was sent, and nobody approved it`);
    report(call.state === 'succeeded' && times === 0, `${call.callId} is recorded as sent, and never came`);
  }
  const shown = new Set([EDITED, ...Array.from({ length: 5 }, (_, round) => draftOf(senderOf(mail), round))]);
  for (const text of got) report(!shown.has(text), `sent what no card showed: ${text}`);
  report(mail.wish === 'ignore' && got.length > 0, 'was answered although its draft was ignored');

  const seen = await seenTimes(world, mail.subject);
  report(marks.length > 1, `was marked as read by ${marks.length} calls`);
  report(seen > 1, `${seen} copies of it are read`);
  report(seen !== marks.length, `${seen} copies of it are read, by ${marks.length} calls`);
  report(
    (state === 'done') !== marks.length > 0,
    `is ${state}, and was marked as read ${marks.length} times`,
  );
  report(mail.verdict === 'ignore' && state !== 'ignored', `is ${state}`);
  report(mail.wish === 'nothing' && seen > 0, 'was marked as read, and nobody asked for it');
  return problems;
}

/** How many messages in Slack have opened a mail. */
function openedFor({ workspace }: World, { subject }: MailPlan): number {
  const { driver } = workspace;
  return [...workspace.driver.workspace.messages.values()]
    .flat()
    .filter(({ byApp }) => byApp)
    .map((message) => driver.text(message))
    .filter((text) => text.includes('[Show the mail]') && text.includes(`The matter of ${subject}.`)).length;
}
