import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesArguments, splitArguments } from '../../../../src/gate/grants/match.ts';
import {
  outOfOfficeModal,
  readOutOfOffice,
  readPerson,
  reassignModal,
} from '../../../../src/slack/modals/delegation.ts';
import { type GrantModalContext, grantModal, readGrant } from '../../../../src/slack/modals/grant.ts';
import { readModalKeys } from '../../../../src/slack/modals/modal.ts';
import { moreModal } from '../../../../src/slack/modals/more-actions.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { buttonsOf, callView, DIGEST, flat, schemaAndArguments, withTool } from '../cards/fixtures.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 8);
const CONTEXT: GrantModalContext = {
  viewerId: 'slack:T1:U1',
  now: NOW,
  timeZone: 'Europe/Berlin',
  limits: { forAtMostMs: 90 * DAY, usesAtMost: 1_000 },
};

const view = withTool(
  { type: 'object', properties: { title: { type: 'string' }, force: { type: 'boolean' } } },
  { title: 'Standup' },
);

/** What Slack sends of a form that nobody touched, with these changes. */
function sent(changes: Record<string, object> = {}) {
  const values: Record<string, object> = {
    what: { selected_option: { value: 'call' } },
    stay: { selected_options: [{ value: '0' }, { value: '1' }] },
    place: { selected_option: { value: 'thread' } },
    until: { selected_date: '2026-11-30' },
    uses: { value: '20' },
    ...changes,
  };
  return Object.fromEntries(Object.entries(values).map(([block, value]) => [block, { value }]));
}

const byHand = { what: { selected_option: { value: 'hand' } } };

describe('approve and remember', () => {
  it('shows what is approved, and asks what else would be', () => {
    const modal = grantModal(view, CONTEXT);
    assertView(modal);
    expect(modal.submit?.text).toBe('Approve and remember');
    expect(readModalKeys(modal.private_metadata ?? '')).toEqual({ callKey: 'k1', digest: DIGEST });
    const words = flat(modal.blocks);
    expect(words).toContain('Title  Standup');
    expect(JSON.stringify(modal)).toContain('Title: Standup');
    expect(JSON.stringify(modal)).toContain('Force (not given)');
    expect(JSON.stringify(modal)).toContain('"initial_date":"2026-11-30"');
  });

  const update = withTool(
    { type: 'object', properties: { event_id: {}, title: {}, calendar_id: {} } },
    { event_id: 'evt_1', title: 'Retro', calendar_id: 'home' },
    { name: 'update_event', title: 'Update event' },
  );
  const optionsOf = (call: typeof view) => {
    const what = grantModal(call, CONTEXT).blocks.find(({ block_id }) => block_id === 'what');
    return [...JSON.stringify(what).matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).slice(1, -2);
  };
  const untouched = { stay: { selected_options: ['0', '1', '2'].map((value) => ({ value })) } };
  const choose = (value: string, changes: Record<string, object> = {}) =>
    sent({ ...untouched, what: { selected_option: { value } }, ...changes });

  it('offers ready choices in plain words: this call, this object, this tool', () => {
    expect(optionsOf(update)).toEqual([
      'Only exactly this',
      'Update event ‘Retro’',
      'Update event: any with this Event id',
      'Event id “evt_1”',
      'Update event: any at all',
      'Whatever its arguments are, unless you limit them below.',
      'As chosen below',
      'By the ticks and limits at the end of this form.',
    ]);
  });

  it.each([
    ['call', ['event_id', 'title', 'calendar_id']],
    ['object', ['event_id']],
    ['tool', []],
  ])('fixes with the choice %s only %j', (value, fixed) => {
    expect(readGrant(update, choose(value), CONTEXT)).toMatchObject({ terms: { fixed } });
  });

  it('limits what a ready choice leaves open', () => {
    const limited = choose('object', { 'like.1': { value: 'Re*' } });
    expect(readGrant(update, limited, CONTEXT)).toMatchObject({
      terms: { fixed: ['event_id'], patterns: [{ argument: 'title' }] },
    });
  });

  it('refuses a ready choice where something else was chosen by hand', () => {
    const both = choose('tool', { stay: { selected_options: [{ value: '0' }] } });
    expect(readGrant(update, both, CONTEXT)).toHaveProperty('errors.what');
  });

  it.each<Record<string, object>>([
    { stay: { selected_options: [{ value: '0' }] } },
    { 'like.1': { value: 'Re*' } },
  ])('does not say “only exactly this” of something else: %j', (changes) => {
    expect(readGrant(update, choose('call', changes), CONTEXT)).toHaveProperty('errors.what');
    expect(readGrant(update, choose('hand', changes), CONTEXT)).toHaveProperty('terms');
  });

  it('never opens everything that a tool may destroy', () => {
    const may = (destructive: boolean, changes: Record<string, object> = {}) => {
      const call = { ...update.call, tool: { ...update.call.tool, destructive } };
      return readGrant(
        { ...update, call },
        choose('hand', { stay: { selected_options: [] }, ...changes }),
        CONTEXT,
      );
    };
    expect(may(true)).toHaveProperty('errors.stay');
    expect(may(true, { 'like.1': { value: 'Re*' } })).toMatchObject({ terms: { fixed: [] } });
    expect(may(false)).toMatchObject({ terms: { fixed: [] } });
  });

  it('offers all calls at once of no tool that may destroy, and no object where that is unclear', () => {
    const destructive = {
      ...update,
      call: { ...update.call, tool: { ...update.call.tool, destructive: true } },
    };
    expect(optionsOf(destructive)).not.toContain('Update event: any at all');
    const two = withTool({ properties: { user_id: {}, group_id: {} } }, { user_id: '1', group_id: '2' });
    expect(optionsOf(two).join()).not.toContain('any with this');
  });

  it('says whose calls, where they are not the viewer’s own', () => {
    expect(JSON.stringify(grantModal(view, { ...CONTEXT, viewerId: 'slack:T1:U9' }))).toContain(
      'Wherever Ana asks',
    );
  });

  it('offers no channel in direct messages, which have none', () => {
    const inDm = callView({ threadId: 'slack:T1:D1:1.0' });
    expect(JSON.stringify(grantModal(inDm, CONTEXT))).not.toContain('In this channel');
  });

  it('begins no later and no more often than operators allow', () => {
    const limits = { forAtMostMs: 2 * DAY, usesAtMost: 5 };
    const modal = JSON.stringify(grantModal(view, { ...CONTEXT, limits }));
    expect(modal).toContain('"initial_date":"2026-11-25"');
    expect(modal).toContain('"initial_value":"5"');
  });

  it('keeps everything as it is, unless somebody changes the form', () => {
    expect(readGrant(view, sent(), CONTEXT)).toEqual({
      terms: {
        fixed: ['title', 'force'],
        scope: 'thread',
        until: Date.UTC(2026, 10, 30, 23) - 1,
        limit: 20,
      },
    });
  });

  it('leaves open what was not ticked', () => {
    const reading = readGrant(
      view,
      sent({ ...byHand, stay: { selected_options: [{ value: '1' }] } }),
      CONTEXT,
    );
    expect(reading).toMatchObject({ terms: { fixed: ['force'] } });
  });

  it.each([
    ['until', { selected_date: '2026-11-22' }, 'This day is over.'],
    ['until', { selected_date: null }, 'This day is over.'],
    ['until', { selected_date: '2027-02-22' }, 'At most 90 days ahead, please.'],
    ['uses', { value: '0' }, 'A whole number from 1 to 1000, please.'],
    ['uses', { value: '1001' }, 'A whole number from 1 to 1000, please.'],
    ['uses', { value: '2.5' }, 'A whole number from 1 to 1000, please.'],
    ['uses', { value: null }, 'A whole number from 1 to 1000, please.'],
    ['place', { selected_option: null }, 'Choose one.'],
    ['place', { selected_option: { value: 'everywhere' } }, 'Choose one.'],
  ])('says beside %s what is wrong with %j', (block, value, why) => {
    expect(readGrant(view, sent({ [block]: value }), CONTEXT)).toEqual({ errors: { [block]: why } });
  });

  describe('with a pattern', () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string' },
        path: { type: 'string' },
        url: { type: 'string' },
        amount: { type: 'number' },
        kind: { type: 'string', enum: ['a', 'b'] },
        people: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
      },
    };
    const args = {
      title: 'Invoice 7',
      path: '/srv/shared/a.txt',
      url: 'https://docs.example.com/x',
      amount: 10,
      kind: 'a',
      people: ['bob'],
    };
    const limited = withTool(schema, args);
    const read = (changes: Record<string, object>) =>
      readGrant(limited, sent({ ...byHand, ...changes }), CONTEXT);

    it('offers one for texts and numbers that are given, and not for choices and lists', () => {
      const modal = grantModal(limited, CONTEXT);
      assertView(modal);
      const ids = modal.blocks.flatMap(({ block_id: id }) =>
        /^(like|least|most)\./.test(id ?? '') ? [id] : [],
      );
      expect(ids).toEqual(['like.0', 'like.1', 'like.2', 'least.3', 'most.3']);
    });

    it.each<[string, Record<string, object>, object]>([
      [
        'a beginning',
        { 'like.0': { value: ' Invoice * ' } },
        { argument: 'title', tests: { matches: 'Invoice *' } },
      ],
      [
        'a folder',
        { 'like.1': { value: '/srv/shared/' } },
        { argument: 'path', tests: { path_under: '/srv/shared/' } },
      ],
      [
        'a host',
        { 'like.2': { value: '*.example.com' } },
        { argument: 'url', tests: { host_in: '*.example.com' } },
      ],
      [
        'a limit',
        { 'most.3': { value: '100' } },
        { argument: 'amount', tests: { at_least: 0, at_most: 100 } },
      ],
      ['a limit from below', { 'least.3': { value: '-5' } }, { argument: 'amount', tests: { at_least: -5 } }],
      [
        'two limits',
        { 'least.3': { value: '5' }, 'most.3': { value: '100' } },
        { argument: 'amount', tests: { at_least: 5, at_most: 100 } },
      ],
    ])('reads %s', (_what, changes, pattern) => {
      expect(read(changes)).toMatchObject({ terms: { patterns: [pattern] } });
    });

    it.each<[string, string, string]>([
      ['like.0', 'Rechnung *', "This action doesn't clearly match: it has Invoice 7."],
      ['like.0', 'Invoice 7', 'Write * for what may vary, as in Invoice *.'],
      ['like.0', '**', 'That would be anything. Untick it above instead.'],
      ['like.0', 'http://*', 'This cannot tell where a host ends; use host_in for addresses.'],
      ['like.1', '/srv/other/', "This action doesn't clearly match: it has /srv/shared/a.txt."],
      ['like.2', 'evil.test', "This action doesn't clearly match: it has https://docs.example.com/x."],
      ['like.2', 'a/b', 'This is no host, such as example.com or *.example.com.'],
      ['least.3', '11', "This action doesn't clearly match: it has 10."],
      ['most.3', '9', "This action doesn't clearly match: it has 10."],
    ])('says beside %s what is wrong with %s', (block, value, why) => {
      expect(read({ [block]: { value } })).toEqual({ errors: { [block]: why } });
    });

    it('has none where nothing was filled in', () => {
      const reading = read({ 'like.0': { value: null }, 'most.3': { value: '' } });
      expect('terms' in reading && reading.terms.patterns).toBeUndefined();
    });
  });

  it('ends at the very time that operators allow, on the last day', () => {
    const reading = readGrant(view, sent({ until: { selected_date: '2027-02-21' } }), CONTEXT);
    expect(reading).toMatchObject({ terms: { until: NOW + 90 * DAY } });
  });

  it('fits Slack with any tool, and untouched covers the call itself and nothing with another argument', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema, args }) => {
        const call = withTool(schema, args);
        assertView(grantModal(call, CONTEXT));
        const names = [...new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(args)])];
        const all = names.map((_, index) => ({ value: String(index) }));
        const reading = readGrant(call, sent({ stay: { selected_options: all } }), CONTEXT);
        const stay = 'terms' in reading ? reading.terms.fixed : [];
        const grant = splitArguments(call.call, stay);
        expect(grant.free).toEqual([]);
        expect(matchesArguments(grant, args)).toBe(true);
        expect(matchesArguments(grant, { ...args, [`${names.join()}+`]: 1 })).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the list of what else can be done', () => {
  it('offers to remember where that can be, and to take back what was handed over, alone', () => {
    const open = moreModal(view, { claim: null, isHandedOver: false, mayRemember: true });
    assertView(open);
    expect(buttonsOf(open.blocks)).toEqual(expect.arrayContaining(['Approve and remember…', 'Hand over…']));
    const closed = moreModal(view, { claim: null, isHandedOver: false, mayRemember: false });
    expect(buttonsOf(closed.blocks)).not.toContain('Approve and remember…');
    expect(buttonsOf(closed.blocks)).not.toContain('Take it back');
    expect(buttonsOf(open.blocks)).toContain('Ignore…');
    const handed = moreModal(view, { claim: null, isHandedOver: true, mayRemember: true });
    expect(buttonsOf(handed.blocks)).toEqual(['Take it back']);
  });
});

it('a call that takes several people to reject is not offered to be ignored', () => {
  const several = { steps: [], excludeRequester: false, rejections: 2 };
  const { call } = view;
  const asked = { ...view, call: { ...call, verdict: { ...call.verdict, approval: several } } };
  const { blocks } = moreModal(asked, {
    claim: null,
    isHandedOver: false,
    mayRemember: true,
  });
  expect(buttonsOf(blocks)).toEqual(expect.arrayContaining(['Approve, and also…', 'Hand over…']));
  expect(buttonsOf(blocks)).not.toContain('Ignore…');
});

describe('who stands in', () => {
  it('is asked for in forms that fit Slack', () => {
    for (const modal of [reassignModal(view), outOfOfficeModal(NOW, 'Europe/Berlin')]) {
      assertView(modal);
      expect(JSON.stringify(modal)).toContain('users_select');
    }
  });

  it('is read, or is nobody', () => {
    expect(readPerson({ person: { value: { selected_user: 'U2' } } })).toBe('U2');
    for (const values of [undefined, {}, { person: { value: { selected_user: null } } }]) {
      expect(readPerson(values)).toBeNull();
    }
  });

  it.each([
    ['2026-11-23', '2026-11-22', 'This day is over.'],
    ['2026-11-25', '2026-11-24', 'This is before it begins.'],
    [null, '2026-11-24', 'This is before it begins.'],
  ])('is not away from %s until %s', (from, until, why) => {
    const values = { from: { value: { selected_date: from } }, until: { value: { selected_date: until } } };
    expect(readOutOfOffice(values, NOW, 'Europe/Berlin')).toEqual({ errors: { until: why } });
  });

  it('is away from the first moment of a day to the last one of another', () => {
    const values = {
      from: { value: { selected_date: '2026-11-24' } },
      until: { value: { selected_date: '2026-11-24' } },
      reason: { value: { value: '  ' } },
    };
    const begins = Date.UTC(2026, 10, 23, 23);
    expect(readOutOfOffice(values, NOW, 'Europe/Berlin')).toEqual({
      begins,
      until: begins + DAY - 1,
      reason: null,
    });
  });
});
