import { DateTime } from 'luxon';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ANA } from '../people.ts';
import type { NewMail } from '../store.ts';
import { automaticMails } from './automatic.ts';
import { hostileMails } from './hostile.ts';
import type { ExampleMail } from './types.ts';
import { workMails } from './work.ts';

type Written = Pick<NewMail, 'mailbox' | 'folder' | 'arrivedAt' | 'raw'>;

/** The examples in Ana's mailbox, the oldest first. */
export function writeExamples(moment: {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timeZone: string;
}): Promise<readonly Written[]> {
  const now = DateTime.fromMillis(moment.now(), { zone: moment.timeZone });
  const soon = workingDay(workingDay(now));
  const name = (day: DateTime) => day.setLocale('en-GB').toFormat('cccc d LLLL');
  const days = { soon: name(soon), later: name(workingDay(soon)) };
  const mails = [...workMails(days), ...automaticMails(), ...hostileMails()];
  const inOrder = mails.toSorted((one, other) => other.hoursAgo - one.hoursAgo);
  return Promise.all(inOrder.map((mail) => write(mail, now.minus({ hours: mail.hoursAgo }).toJSDate())));
}

async function write(mail: ExampleMail, date: Date): Promise<Written> {
  const { from, to = [ANA], cc = [], replyTo, subject, text, html, headers, attachments = [] } = mail;
  const composer = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    replyTo,
    subject,
    text,
    html,
    date,
    messageId: mail.mailId,
    inReplyTo: mail.inReplyTo,
    references: mail.inReplyTo,
    headers: { ...headers },
    attachments: attachments.map((file) => ({ ...file })),
  });
  const raw = await composer.compile().build();
  return { mailbox: ANA, folder: mail.folder ?? 'inbox', arrivedAt: date.toISOString(), raw };
}

/** The next working day after this one. */
function workingDay(day: DateTime): DateTime {
  const next = day.plus({ days: 1 });
  return next.weekday > 5 ? workingDay(next) : next;
}
