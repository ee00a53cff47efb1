import { validateBlocks, validateView } from '@countersign/slack-emulator';
import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/lib/json.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { type CallView, summarizeCall } from '../../../../src/slack/cards/call-view.ts';
import { heldMessageCard } from '../../../../src/slack/cards/held-message-card.ts';
import { grantedLine, pendingText, statusText } from '../../../../src/slack/cards/plain-messages.ts';
import { reminderLine } from '../../../../src/slack/cards/reminder-card.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { toPage } from '../../../../src/slack/home/paging.ts';
import { homeView } from '../../../../src/slack/home/view.ts';
import { reassignModal } from '../../../../src/slack/modals/delegation.ts';
import { editModal, readEditForm } from '../../../../src/slack/modals/edit-arguments.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { grantModal } from '../../../../src/slack/modals/grant.ts';
import {
  alsoModal,
  ignoreModal,
  insteadModal,
  moreModal,
} from '../../../../src/slack/modals/more-actions.ts';
import { feedbackModal, rejectAllModal, rejectModal } from '../../../../src/slack/modals/reject.ts';
import { reviewCallsModal } from '../../../../src/slack/modals/review-calls.ts';
import { confirmModal } from '../../../../src/slack/modals/typed-confirmation.ts';
import type { Message } from '../../../../src/slack/text/block-kit.ts';
import { hostileCall, objectsIn, valuesIn } from '../../../helpers/hostile-calls.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { untouched } from '../modals/untouched.ts';
import { approvedBy, buttonsOf, callRecord, callView, flat, NO_USE, NOW } from './fixtures.ts';

/** As Unicode has it, written anew here, with what is around it: nothing of it may reach a reader but inside an emoji. */
const UNSEEN =
  /.{0,20}(?:[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u00A0]|(?![\n\t])\p{Cc})/u;
/** Also half of one, where a text is cut. */
const EMOJI = /^\u200D|\p{Extended_Pictographic}\uFE0F?(?:\u200D(?:\p{Extended_Pictographic}\uFE0F?)?)*/gu;
/** What Slack reads for markup, calls somebody by, fetches or opens. */
const LIVE = new Set([
  'mrkdwn',
  'broadcast',
  'user',
  'usergroup',
  'channel',
  'link',
  'emoji',
  'image',
  'markdown',
]);
const APPROVE = new Set(['Approve', 'Approve…']);
const RUNS = runs(25);
/** Each run builds some thirty surfaces of values of up to 100 kB, in milliseconds. */
const PATIENCE_MS = 120_000;

function json(value: object): Json {
  const read: Json = JSON.parse(JSON.stringify(value));
  return read;
}

function everyPage(view: CallView): ModalView[] {
  const count = Number(/Page 1 of (\d+)/.exec(JSON.stringify(fullCallModal(view)))?.[1] ?? 1);
  return Array.from({ length: count }, (_, page) => fullCallModal(view, page));
}

/** Everything that is said of a call to a thread. */
function messagesOf(view: CallView): Message<KnownBlock>[] {
  const other = { ...view, callKey: 'k2' };
  const decided = (state: 'executing' | 'rejected') => {
    const decision = approvedBy('Ana', state === 'rejected' ? 'reject' : 'edit', 'no');
    return callCard({ ...view, call: { ...view.call, state, decision, proposedArguments: {} } });
  };
  return [
    callCard(view),
    decided('executing'),
    decided('rejected'),
    grantedLine(view),
    requestCard({ requestKey: 'r', calls: [view, other], isListed: true }),
    heldMessageCard({ key: 'p', calls: [view, other] }),
    pendingText({ waiting: [view], isMore: false, threadUrl: () => null }),
    statusText({
      servers: [],
      tools: [],
      maxTools: 0,
      waiting: [view],
      isMore: false,
      open: [other],
      use: NO_USE,
      threadUrl: () => null,
    }),
    reminderLine({ key: 'm', calls: [view], reminded: [], added: [] }),
  ];
}

/** Every view that a call is shown in. */
function viewsOf(view: CallView): (ModalView | HomeView)[] {
  const request = { requestKey: 'r', calls: [view, { ...view, callKey: 'k2' }] };
  const limits = { forAtMostMs: 86_400_000, usesAtMost: 5 };
  return [
    ...everyPage(view),
    rejectModal(view),
    feedbackModal(view),
    rejectAllModal(request),
    reviewCallsModal({ ...request, approvable: new Set([view.callKey, 'k2']) }),
    confirmModal(view),
    editModal(view),
    moreModal(view, { claim: null, isHandedOver: false, mayRemember: true }),
    alsoModal(view),
    insteadModal(view),
    ignoreModal(view),
    reassignModal(view),
    grantModal(view, { viewerId: 'slack:T1:U1', now: NOW, timeZone: 'Europe/Berlin', limits }),
    homeView({
      threadUrl: () => null,
      botName: 'countersign',
      askedFilter: { chosen: null, kinds: [] },
      cards: new Map(),
      hasAsked: true,
      filter: null,
      waiting: toPage('waiting', [view], 0, { isMore: false }),
      asked: toPage('asked', [view], 0, { isMore: false }),
      servers: [],
      tools: [],
      examples: [],
      permissions: null,
      use: NO_USE,
      reviews: null,
      health: null,
    }),
  ];
}

/** A deadline in each reader's own zone, which Slack takes in small print as mrkdwn only. */
const OWN_DATE = /^<!date\^\d+\^Expires \{date_short_pretty\}, \{time\}\.\|Expires [\w ,:/+-]+\.>$/;

/** Every object in everything that a call is shown in. */
function partsOf(view: CallView) {
  return [...messagesOf(view), ...viewsOf(view)].flatMap((surface) => objectsIn(json(surface)));
}

describe('whatever stands in a call', { timeout: PATIENCE_MS }, () => {
  it('reaches no reader with anything in it that is not seen', () => {
    fc.assert(
      fc.property(hostileCall, ({ view }) => {
        const shown = partsOf(view).flatMap(({ text, initial_value: initial }) => [text, initial]);
        const words = shown.filter((it) => typeof it === 'string');
        expect(words.flatMap((it) => it.replace(EMOJI, '').match(UNSEEN) ?? [])).toEqual([]);
      }),
      RUNS,
    );
  });

  it('is text and nothing but text: no mrkdwn, no mention, no link, no image', () => {
    fc.assert(
      fc.property(hostileCall, ({ view }) => {
        const parts = partsOf(view);
        // Both lists of Home say where it was asked for, which is nothing that stands in the call.
        const own = { type: 'channel', channel_id: 'C1' };
        const live = parts.filter(({ type, text }) => LIVE.has(String(type)) && !OWN_DATE.test(String(text)));
        expect(live).toEqual([own, own]);
        expect(parts.filter((part) => 'url' in part || 'image_url' in part || 'verbatim' in part)).toEqual(
          [],
        );
        // Slack reads the notification as mrkdwn.
        for (const { text } of messagesOf(view)) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
      RUNS,
    );
  });

  it('makes nothing that Slack would refuse', () => {
    fc.assert(
      fc.property(hostileCall, ({ view }) => {
        for (const { blocks } of messagesOf(view)) {
          expect(validateBlocks(json(blocks), 'message')).toBeNull();
        }
        for (const shown of viewsOf(view)) expect(validateView(json(shown))).toBeNull();
      }),
      RUNS,
    );
  });

  it('is all on the card where it can be approved there, and else all in the full view, Approve at its end', () => {
    fc.assert(
      fc.property(hostileCall, ({ view, marks }) => {
        const card = callCard(view);
        const isThere = buttonsOf(card.blocks).some((label) => APPROVE.has(label));
        if (isThere) for (const mark of marks) expect(valuesIn([card])).toContain(mark);
        const pages = everyPage(view);
        const shown = valuesIn(pages);
        for (const mark of marks) expect(shown).toContain(mark);
        const withApprove = pages.map(({ blocks }) => buttonsOf(blocks).some((label) => APPROVE.has(label)));
        expect(withApprove).toEqual(pages.map((_, page) => page === pages.length - 1));
        expect(JSON.stringify(pages.at(-1))).toContain(view.call.digest);
      }),
      RUNS,
    );
  });

  it('is approved with more to do only where the form shows all of it', () => {
    fc.assert(
      fc.property(hostileCall, ({ view, marks }) => {
        const isWhole = !summarizeCall(view).incomplete;
        const more = moreModal(view, { claim: null, isHandedOver: false, mayRemember: isWhole });
        expect(buttonsOf(more.blocks).includes('Approve, and also…')).toBe(isWhole);
        if (isWhole) for (const mark of marks) expect(valuesIn([alsoModal(view)])).toContain(mark);
      }),
      RUNS,
    );
  });

  it('is approved with others only where the review shows all of it', () => {
    fc.assert(
      fc.property(hostileCall, ({ view, marks }) => {
        const review = { requestKey: 'r', calls: [view], approvable: new Set([view.callKey]) };
        const form = reviewCallsModal(review);
        if (form.submit === undefined) expect(flat(form.blocks)).toContain('too long for this form');
        else for (const mark of marks) expect(valuesIn([form])).toContain(mark);
      }),
      RUNS,
    );
  });

  it('is all in the form to edit it, if that can be sent, and comes back as it was', () => {
    fc.assert(
      fc.property(hostileCall, ({ view, marks }) => {
        const form = editModal(view);
        if (form.submit === undefined) return;
        const shown = `${valuesIn([form])}${JSON.stringify(form.blocks)}`;
        for (const mark of marks) expect(shown).toContain(mark);
        const { tool } = view.call;
        const reading = readEditForm(tool, view.call.arguments, untouched(form));
        if ('arguments' in reading) expect(reading.arguments).toEqual(view.call.arguments);
      }),
      RUNS,
    );
  });
});

describe('a danger at the end', () => {
  const DANGER = 'and send a copy to mallory@evil.example';

  it.each([4_000, 20_000, 100_000])(
    'of %i characters is not approved on the card, and is in the full view',
    (length) => {
      const args = { body: `${'All as agreed. '.repeat(Math.ceil(length / 15))}${DANGER}` };
      const { tool } = callRecord();
      const view = callView({ tool: { ...tool, inputSchema: {} }, arguments: args, proposedArguments: args });
      const card = callCard(view);
      expect(buttonsOf(card.blocks)).not.toContain('Approve');
      expect(buttonsOf(card.blocks)).toContain('View everything to approve');
      const pages = everyPage(view);
      expect(valuesIn([pages.at(-1) ?? card])).toContain(DANGER);
      expect(buttonsOf(pages.at(-1)?.blocks ?? [])).toContain('Approve');
    },
  );
});
