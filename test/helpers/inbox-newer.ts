import { mailOf, openInboxes, type ServedMail } from './inbox.ts';
import { openSqliteTwice } from './inbox-storage.ts';
import { ana } from './people.ts';

/** Who has written the mails. */
export const BOB = 'bob@example.com';
export const BOX = 'slack:T1:U1:mail';
/** A draft waits for Ana in the thread of a mail, and these come to its conversation. */
export async function openWaiting(newer: readonly Partial<ServedMail>[], openTwice = openSqliteTwice) {
  const opened = await openInboxes(await openTwice());
  const { one, place, server, next } = opened;
  await opened.turnOn();
  server.mails.push(mailOf(1, { thread_id: 't' }));
  await next();
  const [{ thread } = { thread: '' }] = await place.begun();
  place.busy = thread;
  server.mails.push(...newer.map((more, index) => mailOf(index + 2, { thread_id: 't', ...more })));
  const found = async (state: 'listed' | 'responding' | 'ignored') =>
    (await one.mails(BOX, state)).map(({ messageId }) => messageId).toSorted();
  const find = async (messageId: string) => {
    const all = await Promise.all(
      (['listed', 'responding', 'ignored'] as const).map((it) => one.mails(BOX, it)),
    );
    return all.flat().find((mail) => mail.messageId === messageId);
  };
  const asked = async () => (await place.begun()).map((run) => run.asked);
  /** Ana has decided what waited, and the agent was done with it. */
  const decide = async () => {
    await one.agentDone(thread, 'm1');
    place.busy = null;
  };
  return { ...opened, thread, found, find, asked, decide };
}

/** What is drafted in the thread is left for this mail, which has its turn then. */
export async function chooseAnew(
  { one, place, find, next }: Awaited<ReturnType<typeof openWaiting>>,
  messageId: string,
) {
  const { id = '' } = (await find(messageId)) ?? {};
  await one.draftAnew(ana.id, id, async () => {
    place.busy = null;
    return [];
  });
  await next();
}
