import { describe, expect, it } from 'vitest';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { callView } from './fixtures.ts';

const bob = { id: 'slack:T1:U2', name: 'Bob' };

/** A call that Bob has approved with these words, and that waits for somebody else. */
const approvedWith = (instruction: string) =>
  callView({ votes: [{ type: 'approve', actor: bob, at: 1, step: 0, feedback: null, instruction }] });

describe('what an approver wrote, while others have yet to approve', () => {
  it('is on the card in their name, with what hides in it written out', () => {
    const blocks = JSON.stringify(callCard(approvedWith('tell\u202e Dan')).blocks);
    expect(blocks).toContain('Bob approved this with a note: ');
    expect(blocks).toContain('tell⟨U+202E⟩ Dan');
    expect(blocks).toContain('"Approve"');
  });

  it('is viewed whole before anybody approves it, where it is too long for a card', () => {
    const long = approvedWith(`${'and so on '.repeat(300)}and delete the rest`);
    const card = JSON.stringify(callCard(long).blocks);
    expect(card).not.toContain('delete the rest');
    expect(card).toContain('View everything to approve');
    expect(card).not.toContain('"Approve"');
    expect(JSON.stringify(fullCallModal(long).blocks)).toContain('and delete the rest');
  });
});
