import type { KnownBlock, RichTextElement } from '@slack/types';
import { afterAll, describe, expect, it } from 'vitest';
import { channelReader } from '../../src/knowledge/ports.ts';
import { useSections } from '../../src/slack/cards/use-sections.ts';
import { documentList } from '../../src/slack/documents/document-blocks.ts';
import { dropMessage } from '../../src/slack/documents/drop-message.ts';
import { nameReader } from '../../src/slack/documents/readers.ts';
import { connectionBlocks } from '../../src/slack/home/connections.ts';
import { limitCard, toQuestion } from '../../src/slack/home/limit-card.ts';
import { programBlocks } from '../../src/slack/home/programs.ts';
import { scheduleList } from '../../src/slack/home/schedules.ts';
import { occurrenceMessage } from '../../src/slack/schedules/messages.ts';
import { richText } from '../../src/slack/text/block-kit.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { termsOf, UNLOOKED } from '../helpers/schedules.ts';
import { fileIn } from '../slack-check/document-surfaces.ts';

const TIME = Date.parse('2026-11-23T08:00:00Z');
const FILE = '🌱 دليل.pdf';
const timeZone = 'Europe/Berlin';
const limit = { kind: 'person', id: 'U1', measure: 'runs', question: 1, limit: 5, daily: 5 } as const;
const document = { id: 'd', name: FILE, pages: 2, passages: 2, problem: null, link: null };
const reader = await nameReader(channelReader('slack:T1:C1'), { channelName: async () => '#ערוץ-2' });
const schedule = {
  ...termsOf({ text: 'דוח שבועי' }),
  ...{ id: 's', owner: { id: 'key:1', name: 'דנה' }, dueAt: TIME, ...UNLOOKED },
};

/** What people are shown in which a name from right to left stands, and what we say beside it or below it. */
const SHOWN: Readonly<Record<string, readonly [readonly KnownBlock[], readonly string[]]>> = {
  'documents of a list': [
    documentList({
      documents: [
        { ...document, reader: { kind: 'person' }, isOwn: true, isGiven: true, isHere: true },
        { ...document, name: '𞤀𞤁.pdf', reader, isOwn: false, isGiven: false, isHere: true },
      ],
      ...{ more: 0, isPart: false, here: 2 },
    }).blocks,
    ['2 pages, 2 passages · only you', '2 pages, 2 passages · everybody in'],
  ],
  'a file that was dropped': [
    dropMessage([{ ...fileIn('ready', 0), name: FILE }], 'Only you can ask for it.').blocks,
    [': 42 pages, 118 passages, ready. It takes the place'],
  ],
  'schedules of a list': [
    scheduleList([{ ...schedule, where: 'in #general' }]).blocks,
    ['09:00 Europe/Berlin, in #general', 'Next: Mon 23 Nov 2026, 09:00 Europe/Berlin'],
  ],
  'a run that begins': [
    occurrenceMessage({ schedule, dueAt: TIME, isLate: false, news: null }).blocks,
    [' scheduled this every day at 09:00 Europe/Berlin'],
  ],
  programs: [
    programBlocks({ programs: [{ id: 'p', name: 'תוכנה', connectedAt: TIME }], timeZone }),
    [' · since Mon 23 Nov 2026, 09:00 Europe/Berlin'],
  ],
  connections: [
    connectionBlocks({
      connections: [
        {
          server: 'משימות',
          servers: ['משימות'],
          state: 'connected',
          isOver: false,
          since: TIME,
          account: null,
          missing: [],
          isClientRefused: false,
        },
      ],
      timeZone,
    }),
    [' · connected since Mon 23 Nov 2026, 09:00 Europe/Berlin'],
  ],
  'a limit that is used up': [
    limitCard(toQuestion(limit, TIME), 'דנה', null).blocks,
    [' has used today’s 5 messages.'],
  ],
  'what is nearly used up': [
    [
      richText(
        'use',
        ...useSections({
          ...{ own: [], until: TIME, timeZone },
          near: [{ ...limit, used: 5, allowed: null, name: 'דנה' }],
        }),
      ),
    ],
    [': 5 of 5 messages'],
  ],
};

/** The texts of blocks, each as it stands in an element of its own. */
function texts(block: KnownBlock): readonly string[] {
  if (block.type === 'section') return [block.text?.text ?? ''];
  if (block.type !== 'rich_text') return [];
  return block.elements.map(({ elements }) =>
    elements
      .map((one: RichTextElement | { type: 'rich_text_section' }) => ('text' in one ? one.text : ''))
      .join(''),
  );
}

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)('names from right to left leave our words in their order', () => {
  it.each(Object.entries(SHOWN))('beside and below %s', async (_, [blocks, ours]) => {
    const page = await browser?.newPage();
    await page?.setContent('<body style="width: 900px"></body>');
    const read = await page?.evaluate(
      ({ shown, words }) => {
        for (const text of shown) {
          const element = window.document.createElement('div');
          element.dir = 'auto';
          element.style.whiteSpace = 'pre-wrap';
          element.append(text);
          window.document.body.append(element);
        }
        const nodes = [...window.document.querySelectorAll('div')].flatMap((it) => [...it.childNodes]);
        return words.map((phrase) => {
          const node = nodes.find((it) => it.textContent?.includes(phrase));
          if (!node?.parentElement) return null;
          const from = node.textContent?.indexOf(phrase) ?? 0;
          // Where each letter stands, from the left, in pixels.
          const places = Array.from(phrase, (_letter, at) => {
            const range = window.document.createRange();
            range.setStart(node, from + at);
            range.setEnd(node, from + at + 1);
            return range.getBoundingClientRect().left;
          });
          const isInOrder = places.every((place, at) => place >= (places[at - 1] ?? 0));
          return { direction: getComputedStyle(node.parentElement).direction, isInOrder };
        });
      },
      { shown: blocks.flatMap(texts), words: ours },
    );
    await page?.close();
    expect(read).toEqual(ours.map(() => ({ direction: 'ltr', isInOrder: true })));
  });
});
