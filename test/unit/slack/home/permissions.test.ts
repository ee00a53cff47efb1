import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delegation } from '../../../../src/gate/delegation/record.ts';
import type { Grant } from '../../../../src/gate/grants/record.ts';
import { permissionBlocks } from '../../../../src/slack/home/permissions.ts';
import type { PermissionsView } from '../../../../src/slack/views/types.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { buttonsOf, flat, nastyString } from '../cards/fixtures.ts';

const NOW = Date.UTC(2026, 10, 23, 8);
const ana = { id: 'slack:T1:U1', name: 'Ana' };
const bob = { id: 'slack:T1:U2', name: 'Bob' };

function grant(changes: Partial<Grant> = {}): Grant {
  return {
    grantId: 'g1',
    by: ana,
    tool: { server: 'ledger', name: 'add_entry', title: 'Add entry' },
    definitionHash: 'v1',
    fixed: { entry: 'rent' },
    free: ['amount'],
    place: { kind: 'thread', threadId: 'slack:T1:C1:1.0' },
    threadId: 'slack:T1:C1:1.0',
    callId: 'c1',
    at: NOW,
    until: NOW + 86_400_000,
    limit: 20,
    used: 3,
    usedAt: NOW,
    ended: null,
    ...changes,
  };
}

function delegation(changes: Partial<Delegation> = {}): Delegation {
  const time = { begins: NOW - 1, until: NOW + 86_400_000, at: NOW, ended: null };
  return { delegationId: 'd1', from: ana, to: bob, reason: null, ...time, ...changes };
}

function view(changes: Partial<PermissionsView> = {}): PermissionsView {
  const lists = { grants: [], mine: [], others: [] };
  const names = { user: (id: string) => (id === 'U0BOB' ? 'Bob' : null), channel: () => null };
  return {
    viewerId: ana.id,
    now: NOW,
    timeZone: 'UTC',
    ...lists,
    names,
    tools: new Map(),
    channel: () => '#general',
    ...changes,
  };
}

describe('what somebody has allowed, in Home', () => {
  it('names people, and says what is limited in words', () => {
    const patterns = [{ argument: 'amount', tests: { at_most: 100 } }];
    const words = flat(
      permissionBlocks(view({ grants: [grant({ fixed: { to: 'U0BOB' }, free: [], patterns })] }), 50),
    );
    expect(words).toContain('To “Bob (U0BOB)”, Amount at most 100');
  });

  it('names arguments as the cards do: by the schema, in words, and by name where two look the same', () => {
    const inputSchema = {
      properties: { start_time: {}, tz: { title: 'Time zone' }, dueOn: { title: 'Day' }, day: {} },
    };
    const fixed = { start_time: '09:00', tz: 'UTC' };
    const held = { grants: [grant({ fixed, free: ['dueOn', 'day'] })] };
    const tools = new Map([['g1', { inputSchema, trusted: true }]]);
    expect(flat(permissionBlocks(view({ ...held, tools }), 50))).toContain(
      'Start time “09:00”, Time zone “UTC”, any Day [dueOn], Day [day]',
    );
    expect(flat(permissionBlocks(view(held), 50))).toContain(
      'Start time “09:00”, Tz “UTC”, any Due on [dueOn], Day',
    );
  });

  it('says what, where, how often and until when, and can be revoked', () => {
    const blocks = permissionBlocks(view({ grants: [grant()] }), 50);
    expect(flat(blocks)).toContain(
      'Add entry (ledger.add_entry)\nEntry “rent”, any Amount\nin one thread · 3 of 20 used · until Tue 24 Nov 2026, 08:00 UTC',
    );
    expect(JSON.stringify(blocks)).toContain('"Revoke"');
  });

  it.each([
    [{ place: { kind: 'channel', channel: 'slack:T1:C1' } }, 'in #general'],
    [{ place: { kind: 'requester', requester: ana } }, 'wherever you ask'],
    [{ place: { kind: 'requester', requester: bob } }, 'wherever Bob asks'],
    [{ fixed: {}, free: [] }, 'without arguments'],
    [{ fixed: {}, free: ['a', 'b'] }, 'any A, B'],
  ] satisfies [Partial<Grant>, string][])('says %j as “%s”', (changes, words) => {
    expect(flat(permissionBlocks(view({ grants: [grant(changes)] }), 50))).toContain(words);
  });

  it.each([
    [{ ended: { at: NOW, why: 'revoked' } }, 'revoked'],
    [{ ended: { at: NOW, why: 'standing' } }, 'you may not decide this any more'],
    [{ used: 20 }, 'used up'],
    [{ until: NOW }, 'used · over'],
  ] satisfies [Partial<Grant>, string][])('has no Revoke once it is over: %j', (changes, words) => {
    const blocks = permissionBlocks(view({ grants: [grant(changes)] }), 50);
    expect(flat(blocks)).toContain(words);
    expect(JSON.stringify(blocks)).not.toContain('"Revoke"');
  });

  it('stays in the room that there is, counting what does not fit', () => {
    const grants = Array.from({ length: 30 }, (_, index) => grant({ grantId: `g${index}` }));
    for (const room of [5, 8, 13, 40]) {
      const blocks = permissionBlocks(view({ grants }), room);
      expect(blocks.length).toBeLessThanOrEqual(room);
      expect(flat(blocks)).toContain(`and ${30 - Math.min(10, room - 5)} more`);
    }
  });

  it('fits Slack whatever arguments, tools and people are called', () => {
    fc.assert(
      fc.property(fc.array(nastyString, { minLength: 1, maxLength: 12 }), (names) => {
        const grants = names.map((name, index) =>
          grant({
            grantId: `g${index}`,
            tool: { server: name, name, title: name },
            fixed: { [name]: names },
            free: names,
            place: { kind: 'requester', requester: { id: 'x', name } },
          }),
        );
        const mine = names.map((name, index) =>
          delegation({ delegationId: `d${index}`, to: { id: 'x', name }, reason: name }),
        );
        assertView({ type: 'home', blocks: permissionBlocks(view({ grants, mine, others: mine }), 20) });
      }),
      { numRuns: 40 },
    );
  });
});

describe('who stands in for whom, in Home', () => {
  it('teaches when nobody does', () => {
    const blocks = permissionBlocks(view(), 50);
    expect(flat(blocks)).toContain('Nobody stands in for you, and you stand in for nobody.');
    expect(buttonsOf(blocks)).toEqual(['Out of office…']);
  });

  it('names both sides, the days and the reason, and can be ended by who is away', () => {
    const mine = [delegation({ begins: NOW + 3_600_000, reason: 'On a beach' })];
    const others = [delegation({ from: bob, to: ana })];
    const blocks = permissionBlocks(view({ mine, others }), 50);
    expect(flat(blocks)).toContain(
      'Bob decides in your place from Mon 23 Nov 2026, 09:00 UTC until Tue 24 Nov 2026, 08:00 UTC (On a beach).',
    );
    expect(flat(blocks)).toContain('You decide in Bob’s place until Tue 24 Nov 2026, 08:00 UTC.');
    expect(buttonsOf(blocks)).toEqual(['Out of office…', 'End: Bob']);
  });
});
