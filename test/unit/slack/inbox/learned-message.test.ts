import { describe, expect, it } from 'vitest';
import type { PreferenceChange } from '../../../../src/inbox/ports.ts';
import { learnedMessage, offerMessage } from '../../../../src/slack/inbox/learned-message.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';

const NOW = 'Be brief';
const THEN = 'Be polite';

function change(what: PreferenceChange['what'], isUndone: boolean): PreferenceChange {
  return {
    ...{ id: 'c1', at: 0, kind: 'response_preferences', what, why: 'edit', isUndone },
    ...{ before: what === 'added' ? null : THEN, after: what === 'removed' ? null : NOW },
  };
}

describe('the line of what was learned', () => {
  it.each([
    ['added', 'I learned: Be brief', 'Taken back: Be brief'],
    ['changed', 'I learned: Be brief (instead of: Be polite)', 'Back to: Be polite (no longer: Be brief)'],
    ['removed', 'I no longer go by this: Be polite', 'I go by this again: Be polite'],
  ] as const)('says what was %s, and what has become of it once that is undone', (what, learned, undone) => {
    expect(learnedMessage([change(what, false)]).text).toBe(learned);
    const message = learnedMessage([change(what, true)]);
    assertMessage(message);
    expect(message.text).toBe(undone);
    expect(JSON.stringify(message.blocks)).not.toContain('button');
  });

  it.each([
    ['ignore', 'You ignored two drafts to this address, one after the other.'],
    ['no_drafts', 'Its next mails are listed, with “Reply”'],
  ] as const)('says how far it goes what was learned of a sender by %s', (why, words) => {
    const learned = { ...change('added', false), why };
    expect(learnedMessage([learned]).text).toContain(`I learned: Be brief\n${words}`);
    expect(learnedMessage([{ ...learned, isUndone: true }]).text).toBe('Taken back: Be brief');
  });

  it('says of what could be learned of a sender what ignoring alone does, with a button', () => {
    const message = offerMessage({ mailId: 'm1', address: `${'x'.repeat(64)}@example.com` });
    assertMessage(message);
    expect(message.text).toContain('Ignoring one changes nothing');
    expect(JSON.stringify(message.blocks)).toContain('"action_id":"mail.no_drafts"');
  });
});
