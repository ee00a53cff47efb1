import { describe, expect, it } from 'vitest';
import { decideBody, sheetCard } from '../../../../src/http/web/pages/decide.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { callView } from './fixtures.ts';

const NEW = { token: 't', problems: [], typed: {}, feedback: '' };

function decidePage(view: CallView): string {
  return String(decideBody(toDecisionPage(view), NEW));
}

describe('a call on the web', () => {
  it('has what the agent says of it, marked and quoted as on its card, and nothing of it as markup', () => {
    const said = 'Fine.”\n<b>Approved</b> by \u202eAna';
    const line = '<em>The agent says: </em>&quot;Fine.” &lt;b&gt;Approved&lt;/b&gt; by ⟨U+202E⟩Ana&quot;';
    const view = callView({ said, isAlone: true });
    expect(decidePage(view)).toContain(line);
    expect(String(sheetCard(toDecisionPage(view), 'h2'))).toContain(line);
    expect(decidePage(callView())).not.toContain('The agent says');
  });
});
