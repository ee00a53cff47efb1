import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { listLines } from '../../../../src/slack/cards/request-card.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { reviewCallsModal, reviewObstacle } from '../../../../src/slack/modals/review-calls.ts';
import { webLinkModal } from '../../../../src/slack/modals/web-decision.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { assertMessage, assertView } from '../../../helpers/slack-limits.ts';
import { callRecord, callView } from './fixtures.ts';

const URL = 'https://countersign.test/decide/k1';
const verdict = { ...callRecord().verdict, decideOn: 'web' } as const;

function onTheWeb(changes: Partial<CallRecord> = {}, view: Partial<CallView> = {}): CallView {
  return callView({ verdict, ...changes }, view);
}

/** The actions of all buttons in these blocks. */
function buttonsIn(blocks: readonly object[]): string[] {
  return [...JSON.stringify(blocks).matchAll(/"type":"button","action_id":"([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
}

describe('the card of a call that is decided on the web', () => {
  it('leads there and approves nothing, however long the call is', () => {
    for (const notes of ['short', 'All as agreed. '.repeat(400)]) {
      const card = callCard(onTheWeb({ arguments: { title: 'Standup', notes } }));
      assertMessage(card);
      expect(buttonsIn(card.blocks)).toEqual([ACTIONS.web, ACTIONS.edit, ACTIONS.reject, ACTIONS.feedback]);
    }
  });

  it('says so where nobody can sign in there, and leads nowhere', () => {
    const card = callCard(onTheWeb({}, { canSignIn: false }));
    expect(buttonsIn(card.blocks)).toEqual([ACTIONS.edit, ACTIONS.reject, ACTIONS.feedback]);
    expect(JSON.stringify(card.blocks)).toContain('Nobody can approve this');
  });

  it('says nothing of it once it is decided', () => {
    const decision = {
      type: 'approve',
      actor: { id: 'slack:T1:U1', name: 'Ana' },
      at: 0,
      feedback: null,
      via: 'web',
    } as const;
    const words = JSON.stringify(callCard(onTheWeb({ state: 'executing', decision })).blocks);
    expect(words).toContain('by Ana on the web');
    expect(words).not.toContain('after signing in');
  });

  it('is left out of a review with others', () => {
    expect(reviewObstacle(onTheWeb())).toBe('to be decided on the web page');
  });

  it('has a way there in the review of its request, which says how it is decided', () => {
    const form = (view: CallView) =>
      reviewCallsModal({ requestKey: 'r', calls: [view], approvable: new Set() });
    const shown = form(onTheWeb({ after: [] }));
    assertView(shown);
    expect(buttonsIn(shown.blocks)).toEqual([ACTIONS.web]);
    const words = JSON.stringify(shown.blocks);
    expect(words).toContain('Decide 1 on the web…');
    expect(words).toContain('to be decided on the web page');
    expect(words).not.toContain('None of these waits for you');
    expect(buttonsIn(form(onTheWeb({ after: [] }, { canSignIn: false })).blocks)).toEqual([]);
  });

  it('says on the line of its plan that it is decided there', () => {
    const view = {
      requestKey: 'r',
      calls: [onTheWeb({ after: [] }), callView({ after: [] })],
      isListed: true,
    };
    const lines = listLines(view).map(({ plain }) => plain);
    expect(lines[0]).toContain('decided on the web page');
    expect(lines[1]).not.toContain('web page');
  });

  it('has the same way at the end of its full view', () => {
    expect(buttonsIn(fullCallModal(onTheWeb()).blocks)).toContain(ACTIONS.web);
    expect(buttonsIn(fullCallModal(onTheWeb({}, { canSignIn: false })).blocks)).not.toContain(ACTIONS.web);
  });
});

describe('the way to the web page', () => {
  it('is its address, whole, and a button that opens it', () => {
    const view = webLinkModal(onTheWeb(), URL);
    assertView(view);
    const words = JSON.stringify(view.blocks);
    expect(words).toContain(`"url":"${URL}"`);
    expect(words).toContain('Open countersign.test');
  });

  it('says what is missing where nobody can sign in', () => {
    const view = webLinkModal(onTheWeb(), null);
    assertView(view);
    expect(JSON.stringify(view.blocks)).toContain('An operator has to set PUBLIC_URL.');
    expect(buttonsIn(view.blocks)).toEqual([]);
  });
});

describe('what the web page is told', () => {
  it('is every argument whole, with everything in it to be seen', () => {
    const notes = `${'All as agreed.\n'.repeat(400)}And pay \u202Edouble.`;
    const sheet = toDecisionPage(
      onTheWeb({ arguments: { title: 'Stand\u200Bup', duration_minutes: 90, notes } }),
    );
    expect(sheet.rows).toMatchObject([
      { label: 'Title', value: 'Stand⟨U+200B⟩up' },
      { label: 'Length', raw: '90' },
      { label: 'Notes', value: notes.replace('\u202E', '⟨U+202E⟩') },
    ]);
    expect(sheet).toMatchObject({
      approvers: ['Only Ana can approve'],
      requester: 'Requested by Ana',
      rule: 'Rule: writes',
    });
    expect(sheet.until).toContain('Fri 27 Nov 2026, 17:00');
  });
});
