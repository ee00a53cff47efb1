import { describe, expect, it } from 'vitest';
import type { PreferenceChange } from '../../../../src/inbox/ports.ts';
import { learnedMessage } from '../../../../src/slack/inbox/learned-message.ts';
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
});
