import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible } from '../../../../src/presentation/text/visible.ts';
import { connectModal } from '../../../../src/slack/modals/connect.ts';
import { fullCallModal, fullCallPage } from '../../../../src/slack/modals/full-call.ts';
import { readModalKeys } from '../../../../src/slack/modals/modal.ts';
import { questionModal, readAnswer } from '../../../../src/slack/modals/question.ts';
import {
  feedbackModal,
  readFeedback,
  rejectAllModal,
  rejectModal,
} from '../../../../src/slack/modals/reject.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import {
  buttonsOf,
  callRecord,
  callView,
  DIGEST,
  flat,
  nastyString,
  schemaAndArguments,
  withTool,
} from '../cards/fixtures.ts';

describe('reject', () => {
  it('names the act, keeps the arguments at hand and asks why', () => {
    const view = rejectModal(callView());
    assertView(view);
    expect(view).toMatchObject({ title: { text: 'Reject: Create event' }, submit: { text: 'Reject' } });
    expect(flat(view.blocks)).toContain('Title  Standup');
    expect(flat(view.blocks)).toContain('Why? *: <plain_text_input>');
  });

  it('carries opaque keys only', () => {
    expect(readModalKeys(rejectModal(callView()).private_metadata ?? '')).toEqual({
      callKey: 'k1',
      digest: DIGEST,
    });
  });

  it('does not take blanks for a reason', () => {
    expect(readFeedback({ feedback: { value: { value: '  ' } } })).toEqual({
      errors: { feedback: 'Say it in a few words.' },
    });
  });

  it('reads the reason', () => {
    expect(readFeedback({ feedback: { value: { value: ' make it 10am ' } } })).toEqual({
      words: 'make it 10am',
    });
  });

  it('lists what reject all rejects', () => {
    const calls = ['a', 'b'].map((callKey) => callView({}, { callKey }));
    const view = rejectAllModal({ requestKey: 'r1', calls: [...calls, callView({ state: 'succeeded' })] });
    assertView(view);
    expect(view.title.text).toBe('Reject 2 actions');
    expect(flat(view.blocks).match(/• Create event/g)).toHaveLength(2);
  });

  it('fits Slack for any call', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema, args }) => {
        assertView(rejectModal(withTool(schema, args)));
        assertView(feedbackModal(withTool(schema, args)));
      }),
      runs(100),
    );
  });
});

describe('view everything', () => {
  it('shows every value in words and as it is sent, the digest, and Approve', () => {
    expect(flat(fullCallModal(callView()).blocks)).toMatchInlineSnapshot(`
      "Create event
      Tool \`calendar.create_event\`
      Requested by Ana
      The server says: 
      ┌
      Creates an event.
      └
      Title  Standup
      Start  Tue 24 Nov, 09:00 Europe/Berlin  sent as \`2026-11-24T09:00:00+01:00\`
      Length  15 min  sent as \`15\`
      Attendees (2)  bob (U2), carol@example.com  sent as \`["U2","carol@example.com"]\`
      SHA-256 of what will run: 7edb360f06acaef2cc80dba16cf563f199d347db4443da04da0c8173e3f9e4ed
      [Approve (primary)] [Edit] [Reject] [Feedback] [⋯ Approve, and also…, Don’t run this; do that instead…, Withdraw, More…]"
    `);
  });

  it('has Approve on its last page only, and every character on some page', () => {
    const body = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const view = callView({ arguments: { body } });
    const pages = allPages(view);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map((page) => buttonsOf(page.blocks).includes('Approve'))).toEqual(
      pages.map((_, index) => index === pages.length - 1),
    );
    const shown = pages.map((page) => flat(page.blocks)).join('\n');
    expect(shown).toContain('line 0\n');
    expect(shown).toContain('line 19999');
  });

  it('fits Slack on every page for any call, and leaves nothing out', () => {
    fc.assert(
      fc.property(schemaAndArguments, nastyString, ({ schema, args }, description) => {
        const pages = allPages(withTool(schema, args, { description }));
        for (const page of pages) assertView(page);
        const lines = pages.flatMap((page) => page.blocks.map((block) => flat([block]))).join('\n');
        // A long value goes over several blocks, each with its label and notes; what is between is the value.
        const shown = lines
          .replaceAll(' (not in the tool’s schema)', '')
          .replaceAll(/\n[^\n]*\(part \d+ of \d+\) {2}/g, '');
        const names = Object.values(args).filter((value) => typeof value === 'string');
        for (const value of names) {
          const tails = [value, JSON.stringify(value).slice(0, -1)].map((form) =>
            (visible(form).split('\n').at(-1) ?? '').slice(-20).replaceAll('`', ''),
          );
          // Blanks that nobody sees are spelled out.
          if (/^\s|\s$/.test(tails[0] ?? '') || /[\t\r]/.test(value.split('\n').at(-1) ?? '')) continue;
          expect(tails.filter((tail) => shown.replaceAll('`', '').includes(tail))).not.toEqual([]);
        }
      }),
      runs(150),
    );
  });

  it('asks once more for a dangerous tool', () => {
    const { tool } = callRecord();
    const { blocks } = fullCallModal(callView({ tool: { ...tool, destructive: true } }));
    expect(JSON.stringify(blocks)).toContain('"confirm":{"title"');
  });

  it('is turned only while it is the same call; else it begins at its first page, with a word on that', () => {
    const long = callView({ arguments: { title: 'T', notes: 'lang '.repeat(20_000) } });
    const seen = { callKey: long.callKey, digest: long.call.digest };
    const same = fullCallPage(long, 1, seen);
    expect(same).toEqual(fullCallModal(long, 1));
    expect(flat(same.blocks)).toContain('Page 2 of');
    const last = allPages(long).length - 1;
    for (const other of [
      { ...seen, digest: 'f'.repeat(64) },
      { ...seen, place: 'f'.repeat(16) },
    ]) {
      const changed = fullCallPage(long, last, other);
      assertView(changed);
      expect(flat(changed.blocks)).toMatch(/^This has changed since you opened it\..*Page 1 of/s);
      expect(buttonsOf(changed.blocks)).toEqual(['Next page']);
      expect(JSON.parse(changed.private_metadata ?? '')).toMatchObject({ digest: long.call.digest, page: 0 });
    }
  });

  it('has no Approve once it is decided', () => {
    expect(buttonsOf(fullCallModal(callView({ state: 'rejected' })).blocks)).toEqual([]);
  });

  function allPages(view: Parameters<typeof fullCallModal>[0]) {
    const pages = [fullCallModal(view, 0)];
    while (buttonsOf(pages.at(-1)?.blocks ?? []).includes('Next page')) {
      pages.push(fullCallModal(view, pages.length));
    }
    return pages;
  }
});

describe('a question', () => {
  it('marks what the agent says, and asks for an answer', () => {
    const view = questionModal({
      ...callView({ kind: 'question' }),
      question: 'Which <!channel>?',
      context: 'Two fit.',
    });
    assertView(view);
    expect(flat(view.blocks)).toContain('┌\nWhich <!channel>?\n└\nThe agent adds: Two fit.');
    expect(readAnswer({ answer: { value: { value: 'the first' } } })).toEqual({ words: 'the first' });
  });
});

describe('the sign-in link', () => {
  const need = {
    callKey: 'k1',
    server: 'calendar',
    title: 'Create event',
    message: 'Please sign in.',
    isHidden: false,
    requester: { name: 'Ana', slackUser: 'U1' },
  };

  it('is shown whole, with its host named', () => {
    const view = connectModal(need, 'https://auth.example.com/a?state=1');
    assertView(view);
    expect(flat(view.blocks)).toMatchInlineSnapshot(`
      "Sign in to calendar
      calendar says: “Please sign in.”
      The link leads to auth.example.com.
      ┌
      https://auth.example.com/a?state=1
      └
      [Open auth.example.com (primary)] [Retry]"
    `);
  });

  it.each([
    'javascript:alert(1)',
    'http://auth.example.com/',
    'https://bank.com@evil.com/',
    `https://a.com/${'x'.repeat(4000)}`,
  ])('is no button when it is %.40s', (url) => {
    const view = connectModal(need, url);
    assertView(view);
    expect(buttonsOf(view.blocks)).toEqual(['Retry']);
  });
});
