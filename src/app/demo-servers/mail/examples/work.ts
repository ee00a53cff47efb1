import type { ExampleDays, ExampleMail } from './types.ts';

const ANA = 'Ana Almeida <ana@example.com>';
const BOB = 'Bob Berger <bob@example.com>';
const CAROL = 'Carol Costa <carol@example.com>';
const OFFER = '<offer-2281@example.com>';

/** Mails of colleagues and customers. */
export function workMails(days: ExampleDays): readonly ExampleMail[] {
  return [...colleagues(days), ...offerThread(), ...customers(days)];
}

function colleagues({ soon, later }: ExampleDays): readonly ExampleMail[] {
  return [
    {
      from: BOB,
      subject: 'Agenda for the workshop',
      hoursAgo: 5,
      text: `Hi Ana,

I am putting the agenda for the customer workshop together. Do you want to open it yourself, or shall I? And how long should the demo be: 20 or 40 minutes?

I would like to send it out tomorrow.

Thanks
Bob
`,
    },
    {
      from: CAROL,
      subject: 'Q1 plan: 45 minutes?',
      hoursAgo: 3,
      text: `Hi Ana,

can we meet for 45 minutes to go through the Q1 plan? I could do ${soon} at 14:00 or ${later} at 10:00. Whichever suits you, please send me an invitation.

Best
Carol
`,
    },
    {
      from: CAROL,
      to: [ANA, BOB],
      subject: '🎉 The launch is done! 🎂',
      hoursAgo: 7,
      text: `Hi all 👋

we did it 🚀. There is cake 🍰 in the kitchen from four o'clock today. No need to reply, just come by 🙂

Carol 👩‍🚀
`,
    },
  ];
}

function customers({ soon, later }: ExampleDays): readonly ExampleMail[] {
  return [
    {
      from: 'Idris Bello <idris.bello@tidewater.test>',
      subject: 'Order 10482 still not here',
      hoursAgo: 2,
      text: `Hello,

this is the third time I write about order 10482. It was promised for last Monday, nobody has answered me, and the tracking page has said "in preparation" for eight days. I need the filters for a maintenance window and I am getting quite annoyed.

Where is my order, and when will it arrive?

Idris Bello
Tidewater Maintenance
`,
    },
    {
      from: 'ليلى حداد <layla.haddad@qasr.test>',
      subject: 'موعد الزيارة يوم الأحد',
      hoursAgo: 9,
      text: `مرحبًا آنا،

هل يناسبك أن نزور مكتبكم يوم الأحد الساعة 11:00؟ سنكون ثلاثة أشخاص.

مع التحية
ليلى حداد
`,
    },
    {
      from: 'Marta Nowak <marta.nowak@northwind.test>',
      subject: 'Minutes to confirm',
      hoursAgo: 4,
      text: `Dear Ana,

the minutes of our call are attached as a text file. Could you confirm the two dates in it, or tell me what to correct?

Kind regards
Marta Nowak
Northwind
`,
      attachments: [
        {
          filename: 'minutes.txt',
          content: `Minutes, Northwind and Example

1. Northwind sends the data on ${soon}.
2. Example answers with a first report on ${later}.
3. Both sides name a contact for questions.
`,
        },
      ],
    },
  ];
}

function offerThread(): readonly ExampleMail[] {
  return [
    {
      from: ANA,
      to: ['Lena Vogt <lena.vogt@hafenlicht.test>'],
      subject: 'Our offer 2281',
      hoursAgo: 30,
      mailId: OFFER,
      folder: 'sent',
      text: `Dear Ms Vogt,

please find below what we offer: 40 lamps of type H2 at 85.00 EUR each, delivered within four weeks.

Best regards
Ana Almeida
`,
    },
    {
      from: 'Lena Vogt <lena.vogt@hafenlicht.test>',
      cc: ['Tom Brandt <tom.brandt@hafenlicht.test>'],
      subject: 'Re: Our offer 2281',
      hoursAgo: 1,
      inReplyTo: OFFER,
      text: `Dear Ms Almeida,

thank you, that fits. Can you also deliver ten of them two weeks earlier? Tom Brandt, in copy, will place the order.

Best regards
Lena Vogt

On yesterday's mail, Ana Almeida <ana@example.com> wrote:
> Dear Ms Vogt,
>
> please find below what we offer: 40 lamps of type H2 at 85.00 EUR each, delivered within four weeks.
>
> Best regards
> Ana Almeida
`,
    },
  ];
}
