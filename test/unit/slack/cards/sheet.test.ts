import { describe, expect, it } from 'vitest';
import { decideBody, sheetCard } from '../../../../src/http/web/pages/decide.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/lib/json.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { type CallView, callReference } from '../../../../src/slack/cards/call-view.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { type CardKind, KINDS } from '../../../cards/kinds.ts';
import { callRecord, callView, NOW } from './fixtures.ts';

const NEW = { token: 't', problems: [], typed: {}, feedback: '', signIn: null };

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

  it('that is a question about a mail says which, and nothing of it as markup', () => {
    const about = { from: 'Cy <cy@other.test>', subject: '<b>Tent</b>' };
    const view = { ...callView({ kind: 'question', arguments: { question: 'Do you have it?' } }), about };
    const words = 'About “&lt;b&gt;Tent&lt;/b&gt;”, from cy@other.test “Cy”';
    for (const page of [decidePage(view), String(sheetCard(toDecisionPage(view), 'h2'))])
      expect(page.replace(/[\u2066-\u2069]/g, '')).toContain(words);
    expect(decidePage({ ...view, about: null })).not.toContain('About');
  });

  it('of a plan has its place in its form, and what it runs without', () => {
    const view = { ...callView({ after: ['c0'], needs: [] }), unneeded: [1] };
    expect(decidePage(view)).toContain(`name="place" value="${callReference(view).place}"`);
    expect(decidePage(view)).toContain('This runs even if step 1 isn’t done.');
    expect(decidePage(callView())).not.toContain('name="place"');
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

/** The texts that a card shows, piece by piece, but its buttons and what says that something is left out. */
function cardTexts(view: CallView): string[] {
  const found: string[] = [];
  const look = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(look);
    if (!isJsonObject(value) || value.type === 'actions') return;
    const { text, fallback } = value;
    if (typeof (fallback ?? text) === 'string') found.push(String(fallback ?? text));
    else Object.values(value).forEach(look);
  };
  look(JSON.parse(JSON.stringify(callCard(view).blocks)));
  return found
    .map((text) =>
      text
        .replace(/<!date\^[^|]*\|([^>]*)>/g, '\n$1\n')
        .replace(/ … and .* more .*: see View everything/, ''),
    )
    .flatMap((text) => text.split(/\n|(?<=\.) /))
    .map((text) => text.replace(/^[^\p{L}\p{N}“"‘]+/u, '').replace(/[\s…]+$/u, ''))
    .filter((text) => text !== '');
}

function pageText(view: CallView): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };
  return String(sheetCard(toDecisionPage(view), 'h2'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(#?\w+);/g, (whole, name: string) => names[name] ?? whole);
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ');

function kindView({ calls: [call], why, clicks = [] }: CardKind, destructive: boolean): CallView {
  const [server = '', name = ''] = call?.name.split('__') ?? [];
  const { tool } = callRecord();
  const progress = clicks.length > 0 ? '1 of 2 approved: Bob' : null;
  return callView(
    {
      tool: { ...tool, server, name, title: name.replaceAll('_', ' '), destructive },
      arguments: call?.arguments ?? {},
      proposedArguments: call?.arguments ?? {},
      isAlone: true,
      ...(why === undefined ? {} : { said: why }),
    },
    { approvers: { who: '@finance', isOnly: true, verb: 'can approve', progress } },
  );
}

describe('everything that the card of a call says is on the dashboard', () => {
  it.each(KINDS)('for the kind $name', (kind) => {
    for (const destructive of [false, true]) {
      const view = kindView(kind, destructive);
      const page = squeeze(pageText(view));
      const texts = cardTexts(view);
      expect(texts.length).toBeGreaterThan(5);
      expect(texts.filter((text) => !page.includes(squeeze(text)))).toEqual([]);
    }
  });

  it('and who claimed it', () => {
    const ana = { id: 'slack:T1:U1', name: 'Ana' };
    const view = callView();
    const claim = { by: ana, at: NOW, step: 0 };
    const claimed = { ...view, approval: { ...view.approval, claim } };
    expect(cardTexts(claimed)).toContain('Ana claimed this');
    expect(pageText(claimed)).toContain('Ana claimed this, Tue 24 Nov');
  });
});

describe('the sheet of a call that is proposed again after somebody sent it back', () => {
  const decision = {
    type: 'reject',
    actor: { id: 'slack:T1:U1', name: 'Bob' },
    at: 0,
    feedback: 'make it longer',
  } as const;
  const before = { title: 'Standup', duration_minutes: 15, notes: 'Bring <coffee>' };
  const corrects = callRecord({ state: 'rejected', decision, arguments: before });
  const shown = (after: JsonObject) =>
    String(sheetCard(toDecisionPage(callView({ arguments: after }, { corrects }))));

  it('says who said what, and what is different, as its card does', () => {
    const sheet = shown({ title: 'Standup', duration_minutes: 90, location: 'Room 1' });
    expect(sheet).toContain('Proposed again after Bob said “make it longer”:');
    expect(sheet).toMatch(/<dt>Length<\/dt><dd><del>15 min<\/del> → 90 min \(1 h 30 min\)<\/dd>/);
    expect(sheet).toMatch(/<dt>Location<\/dt><dd>added: Room 1<\/dd>/);
    expect(sheet).toMatch(/<dt>Notes<\/dt><dd><del>Bring &lt;coffee&gt;<\/del> → removed<\/dd>/);
  });

  it('says that nothing is different', () => {
    expect(shown(before)).toContain('Proposed again, without a change, after Bob said');
  });
});
