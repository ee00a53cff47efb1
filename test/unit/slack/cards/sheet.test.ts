import { describe, expect, it } from 'vitest';
import { decideBody, sheetCard } from '../../../../src/http/web/pages/decide.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { callRecord, callView } from './fixtures.ts';

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

  it('is asked about again where it is destructive, in the words of its card, unless a value is typed', () => {
    const { tool, verdict } = callRecord();
    const destructive = { tool: { ...tool, title: 'Delete event', destructive: true } };
    const view = callView(destructive);
    const asked = toDecisionPage(view).confirm;
    expect(JSON.stringify(callCard(view).blocks)).toContain(JSON.stringify(asked?.words).slice(1, -1));
    expect(asked).toMatchObject({ verb: 'Delete', words: expect.stringContaining('Title: Standup') });
    const page = decidePage(view);
    const [summary = '', held = ''] =
      /<details class="confirm">([\s\S]*?)<\/summary>([\s\S]*?)<\/details>/.exec(page)?.slice(1) ?? [];
    expect(summary).toContain('Approve');
    expect(held).toContain(asked?.title ?? 'nothing');
    // Nothing else on the page approves it.
    expect(
      [...page.matchAll(/<button[^>]*value="approve"[^>]*>([^<]*)</g)].map(([, words]) => words),
    ).toEqual(['Delete']);
    expect(held).toContain('value="approve"');
    expect(page).toContain('<button class="other" name="word" value="reject" formnovalidate>');
    const typed = { ...destructive, verdict: { ...verdict, confirmByTyping: ['title'] } };
    expect(toDecisionPage(callView(typed)).confirm).toBeNull();
    expect(toDecisionPage(callView()).confirm).toBeNull();
  });
});
