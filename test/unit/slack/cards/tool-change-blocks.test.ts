import { describe, expect, it } from 'vitest';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { callView, flat } from './fixtures.ts';

const again = (redefined: string[]) =>
  callView({ state: 'pending', askedAgain: 'calendar has changed this tool.', redefined });

describe('how a tool has changed', () => {
  it('stands on the card, with what nobody would see written out', () => {
    const { blocks } = callCard(again(['- description: "Creates"', '+ description: "Creates\u202e"']));
    const shown = flat(blocks);
    expect(shown).toContain('- description: "Creates"');
    expect(shown).toContain('⟨U+202E⟩');
    expect(shown).not.toContain('\u202e');
    expect(shown).toContain('Approve');
  });

  it('is approved only where all of it is shown, when the card does not hold it', () => {
    const view = again([`+ description: "${'long '.repeat(400)}and it pays"`]);
    const card = callCard(view);
    expect(flat(card.blocks)).not.toContain('and it pays');
    expect(flat(card.blocks)).toContain('View everything');
    expect(JSON.stringify(card.blocks)).not.toContain('"text":"Approve"');
    const whole = JSON.stringify(fullCallModal(view).blocks);
    expect(whole).toContain('and it pays');
    expect(whole).toContain('"text":"Approve"');
  });

  it('is gone once it was decided', () => {
    const view = callView({ state: 'succeeded', askedAgain: 'x', redefined: ['+ description: "y"'] });
    expect(flat(callCard(view).blocks)).not.toContain('How the tool has changed');
  });
});
