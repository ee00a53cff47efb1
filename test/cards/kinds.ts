import type { JsonObject } from '../../src/lib/json.ts';

/** A call in the model's words. */
interface Proposed {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** One kind of card, and how the bot comes to show it. */
export interface CardKind {
  /** Of its pictures' files. */
  readonly name: string;
  /** What Ana writes. */
  readonly ask: string;
  readonly calls: readonly Proposed[];
  /** What the model writes beside its calls. */
  readonly why?: string;
  /** The server for deployments goes down before anybody clicks. */
  readonly serverGoesDown?: boolean;
  /** Who clicks what before the picture is taken. */
  readonly clicks?: readonly { readonly who: string; readonly button: string }[];
  /** What the model answers once all is decided; the card has ended then. */
  readonly answer?: string;
  /** What the card shows when it is ready for its picture. @default the button to edit the call */
  readonly shows?: string;
}

/** What is in the calendar before, and in `plan.md` of the shared folder. */
export const EVENTS: readonly JsonObject[] = [
  event('Standup', '2026-11-23T15:00:00', { duration_minutes: 15, attendees: ['bob@example.com'] }),
  event('Lunch', '2026-11-24T12:00:00', {
    attendees: ['bob@example.com', 'carol@example.com', 'dave@example.com', 'erin@example.com'],
  }),
];
export const PLAN = '# Plan\n\n- Monday: kick-off\n- Tuesday: interviews\n- Friday: review\n';

/** The kinds, in the order of the page that shows them. */
export const KINDS: readonly CardKind[] = [
  {
    name: 'create',
    ask: 'create a meeting with Bob and Carol tomorrow at 2pm',
    calls: [
      {
        name: 'calendar__create_event',
        arguments: event('Design review', '2026-11-24T14:00:00', {
          attendees: ['bob@example.com', 'carol@example.com'],
        }),
      },
    ],
  },
  {
    name: 'update',
    ask: 'move the standup to Friday at 9',
    why: 'Friday at 9 is free for both of you.',
    calls: [
      { name: 'calendar__update_event', arguments: { event_id: 'evt_1', start: '2026-11-27T09:00:00' } },
    ],
  },
  {
    name: 'delete',
    ask: 'cancel lunch',
    calls: [{ name: 'calendar__delete_event', arguments: { event_id: 'evt_2' } }],
  },
  {
    name: 'write-file',
    ask: 'move the review to Thursday and add a retrospective',
    calls: [
      {
        name: 'files__write_file',
        arguments: {
          path: 'plan.md',
          content: PLAN.replace('- Friday: review', '- Thursday: review\n- Friday: retrospective'),
        },
      },
    ],
  },
  {
    name: 'mail',
    ask: 'tell the customer that the order is late',
    why: 'The warehouse says Thursday, so I wrote that and added Carol in copy.',
    calls: [
      {
        name: 'mail__send_mail',
        arguments: {
          to: ['office@aster.example'],
          cc: ['carol@example.com'],
          subject: 'Your order 4711 is late',
          body: 'Dear Ms Aster,\n\nyour order 4711 leaves our warehouse on Thursday, two days late.\nWe are sorry, and send it by express at our cost.\n\nKind regards\nAna Almeida',
        },
      },
    ],
  },
  {
    name: 'nested',
    ask: 'order the chairs and desks for the new office',
    calls: [
      {
        name: 'orders__place_order',
        arguments: {
          supplier: 'Birch Ltd',
          items: [
            { article: 'Desk 160 × 80', pieces: 4, price: { amount: 319.5, currency: 'EUR' } },
            { article: 'Chair Norr', pieces: 8, price: { amount: 129, currency: 'EUR' } },
          ],
          ship_to: { name: 'Carol Costa', address: { street: 'Torstraße 1', city: '10119 Berlin' } },
        },
      },
    ],
  },
  {
    name: 'long',
    ask: 'write the minutes of the kick-off to a file',
    calls: [{ name: 'files__write_file', arguments: { path: 'minutes.md', content: minutes(4_000) } }],
  },
  {
    name: 'right-to-left',
    ask: 'plan the celebration with the team in Tel Aviv',
    calls: [
      {
        name: 'calendar__create_event',
        arguments: event('🎉 מסיבת השקה – Launch 🚀', '2026-11-26T17:00:00', {
          duration_minutes: 90,
          location: 'אולם 3, תל אביב',
          description: 'نحتفل معًا 🥳 – all are welcome',
          attendees: ['noa@example.com'],
        }),
      },
    ],
  },
  {
    name: 'several',
    ask: 'plan the interviews: seven of them, half an hour each, on Tuesday',
    calls: ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus'].map((candidate, index) => ({
      name: 'calendar__create_event',
      arguments: event(
        `Interview with ${candidate}`,
        `2026-11-24T${String(9 + index).padStart(2, '0')}:00:00`,
      ),
    })),
    shows: '7',
  },
  {
    name: 'quorum',
    ask: 'pay the invoice of Birch',
    calls: [
      {
        name: 'books__pay_invoice',
        arguments: { invoice: 'R-1029', amount: 2310, currency: 'EUR' },
      },
    ],
    clicks: [{ who: 'bob', button: 'Approve' }],
    shows: '1 of 2 approved: Bob',
  },
  {
    name: 'done',
    ask: 'who owes us money?',
    calls: [{ name: 'books__run_report', arguments: { report: 'Unpaid invoices' } }],
    clicks: [{ who: 'ana', button: 'Approve' }],
    answer: 'Three customers do; Cedar SA is the latest.',
    shows: 'Approved by Ana',
  },
  {
    name: 'failed',
    ask: 'deploy version 2.4 of the shop',
    calls: [{ name: 'deploys__deploy', arguments: { service: 'shop', version: '2.4.0' } }],
    serverGoesDown: true,
    clicks: [{ who: 'ana', button: 'Approve' }],
    answer: 'The server for deployments is down, so nothing was deployed.',
    shows: 'Approved by Ana',
  },
];

function event(title: string, start: string, more: JsonObject = {}): JsonObject {
  return { calendar_id: 'primary', title, start, duration_minutes: 30, time_zone: 'Europe/Berlin', ...more };
}

/** Minutes of a meeting with about so many characters. */
function minutes(characters: number): string {
  const line = (number: number) =>
    `${number}. Point ${number} was discussed; Bob writes down what it takes until Friday, and Carol asks the customer.`;
  let text = '# Kick-off, 23 November\n';
  for (let number = 1; text.length < characters; number += 1) text += `\n${line(number)}`;
  return text;
}
