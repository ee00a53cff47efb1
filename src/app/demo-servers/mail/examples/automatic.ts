import type { ExampleMail } from './types.ts';

/** Mails that no person wrote to Ana. */
export function automaticMails(): readonly ExampleMail[] {
  return [
    {
      from: 'Harbour Weekly <news@harbourweekly.test>',
      subject: 'Harbour Weekly: five ideas for quieter meetings',
      hoursAgo: 11,
      headers: {
        'List-Unsubscribe': '<https://harbourweekly.test/out>',
        'List-Id': '<weekly.harbourweekly.test>',
        Precedence: 'bulk',
      },
      html: `<h1>Harbour Weekly</h1>
<p>This week: five ideas for quieter meetings, and what the cranes of the old port are used for now.</p>
<ul><li>Begin five minutes past the hour</li><li>Write first, talk then</li></ul>
<p><a href="https://harbourweekly.test/42">Read on</a> · <a href="https://harbourweekly.test/out">Unsubscribe</a></p>`,
    },
    {
      from: 'Cloudberry Billing <no-reply@cloudberry.test>',
      subject: 'Your invoice 2026-118 is ready',
      hoursAgo: 6,
      headers: { 'Auto-Submitted': 'auto-generated' },
      text: `Hello,

your invoice 2026-118 over 412.50 EUR is ready. It will be collected from your account in 14 days.

This message was sent automatically; answers to it are not read.

Cloudberry Billing
`,
    },
    {
      from: 'Jonas Lind <jonas.lind@northwind.test>',
      subject: 'Automatic reply: Timetable',
      hoursAgo: 8,
      headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
      text: `Thank you for your message. I am out of the office until Monday and read no mail. In urgent cases please call +00 555 0142.

Jonas Lind
`,
    },
  ];
}
