import { describe, expect, it } from 'vitest';
import { diffDefinitions } from '../../../../src/gate/call/definition-diff.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { escapeInvisible } from '../../../../src/lib/unicode.ts';
import { mcpServersSchema, type ToolReviewMode } from '../../../../src/mcp/config/schema.ts';
import { toDefinition } from '../../../../src/mcp/tools/definition.ts';
import {
  acceptDefinitions,
  MOST_HELD,
  MOST_REVIEWED,
  reviewMode,
  reviewTools,
  type ServerReview,
  withoutUntrustedHints,
} from '../../../../src/mcp/tools/review-state.ts';
import type { ToolDefinition } from '../../../../src/tools/ports.ts';

const HOUR_MS = 60 * 60_000;
const BOB = { id: 'slack:T1:U2', name: 'Bob' };

function tool(name: string, description = 'as it was', annotations: JsonObject = {}): ToolDefinition {
  return toDefinition(
    { name, description, inputSchema: { type: 'object' }, annotations },
    { server: 'ledger', toolType: 'ledger', modelName: `ledger__${name}` },
  );
}

/** What is on record once these were seen, one list after the other. */
function seen(mode: ToolReviewMode, ...lists: readonly (readonly ToolDefinition[])[]): ServerReview {
  let review: ServerReview = { server: 'ledger', tools: [] };
  for (const tools of lists) review = reviewTools(review, tools, mode, 1).review ?? review;
  return review;
}

const heldNames = (tools: readonly ToolDefinition[]) =>
  tools.flatMap(({ name, unavailableReason: held }) => (held === undefined ? [] : [name]));

describe('a tool', () => {
  it('is taken as it is first seen, and held when it changes', () => {
    const first = reviewTools(null, [tool('add'), tool('read')], 'first_use', 1);
    expect(heldNames(first.tools)).toEqual([]);
    const then = reviewTools(first.review, [tool('add', 'another'), tool('read')], 'first_use', 2);
    expect(heldNames(then.tools)).toEqual(['add']);
    expect(then.newlyHeld).toEqual(['add']);
    expect(then.tools[0]?.unavailableReason).toBe(
      'The tool add of ledger has changed since it was reviewed; nothing was done. It can be called again once an admin has reviewed it.',
    );
  });

  it('that comes later is taken as it is first seen too, as a new one, of which admins are told', () => {
    const review = seen('first_use', [tool('add')]);
    const later = reviewTools(review, [tool('add'), tool('read')], 'first_use', 2);
    expect(heldNames(later.tools)).toEqual([]);
    expect(later.tools.map(({ isNew }) => isNew)).toEqual([undefined, true]);
    expect(later.newlyHeld).toEqual(['read']);
  });

  it('is new until an admin accepts it, and whatever else changes', () => {
    const lists = [[tool('add')], [tool('add'), tool('read')], [tool('add', 'another'), tool('read')]];
    const review = seen('first_use', ...lists);
    expect(reviewTools(review, [tool('read')], 'first_use', 2).tools[0]?.isNew).toBe(true);
    const changed = acceptDefinitions(review, new Set([tool('add', 'another').definitionHash]), BOB, 3);
    expect(reviewTools(changed, [tool('read')], 'required', 4).tools[0]?.isNew).toBe(true);
    const accepted = acceptDefinitions(changed, new Set([tool('read').definitionHash]), BOB, 5);
    expect(reviewTools(accepted, [tool('read')], 'required', 6).tools[0]).not.toHaveProperty('isNew');
  });

  it('is never held where reviews are off, and is new all the same if it comes later', () => {
    const first = reviewTools(null, [tool('add')], 'off', 1);
    const later = reviewTools(first.review, [tool('add', 'another'), tool('read')], 'off', 2);
    expect(heldNames([...first.tools, ...later.tools])).toEqual([]);
    expect(later.tools.map(({ isNew }) => isNew)).toEqual([undefined, true]);
    expect(later.newlyHeld).toEqual([]);
  });

  it('is held from the beginning where a review is required', () => {
    const { tools, newlyHeld } = reviewTools(null, [tool('add')], 'required', 1);
    expect(newlyHeld).toEqual(['add']);
    expect(tools[0]?.unavailableReason).toContain('is new and was not reviewed');
  });

  it('is said to be newly held once, and again when it has changed again', () => {
    const review = seen('first_use', [tool('add')], [tool('add', 'another')]);
    expect(reviewTools(review, [tool('add', 'another')], 'first_use', 3)).toMatchObject({
      review: null,
      newlyHeld: [],
    });
    expect(reviewTools(review, [tool('add', 'a third')], 'first_use', 3).newlyHeld).toEqual(['add']);
  });

  it('may be held as several definitions at once, each of which is told of once', () => {
    const people = [tool('add', 'for Ana'), tool('add', 'for Bob')];
    let review = seen('first_use', [tool('add')]);
    const told: string[] = [];
    for (const definition of [...people, ...people, ...people]) {
      const found = reviewTools(review, [definition], 'first_use', 2);
      expect(heldNames(found.tools)).toEqual(['add']);
      told.push(...found.newlyHeld);
      review = found.review ?? review;
    }
    expect(told).toEqual(['add', 'add']);
    const hashes = people.map(({ definitionHash }) => definitionHash);
    expect(review.tools[0]?.held.map(({ hash }) => hash)).toEqual(hashes);
    const forBob = acceptDefinitions(review, new Set(hashes.slice(1)), BOB, 3);
    expect(people.map((it) => heldNames(reviewTools(forBob, [it], 'first_use', 4).tools))).toEqual([
      ['add'],
      [],
    ]);
    const forBoth = acceptDefinitions(review, new Set(hashes), BOB, 3);
    expect(people.map((it) => heldNames(reviewTools(forBoth, [it], 'first_use', 4).tools))).toEqual([[], []]);
    expect(reviewTools(forBoth, [tool('add')], 'first_use', 4).review).toBeNull();
  });

  it('that people are still shown stays, so that Accept finds what an admin has read', () => {
    const people = Array.from({ length: MOST_HELD + 2 }, (_, index) => tool('add', `Posts as ${index}.`));
    const look = (review: ServerReview, at: number) =>
      people.reduce((before, it) => reviewTools(before, [it], 'required', at).review ?? before, review);
    const read = look(seen('first_use', [tool('add')]), 1);
    const hashes = read.tools[0]?.held.map(({ hash }) => hash) ?? [];
    expect(hashes).toEqual(people.slice(0, MOST_HELD).map((it) => it.definitionHash));
    // A few hours of looks later.
    const later = [1, 2, 3, 4].reduce((review, hour) => look(review, hour * HOUR_MS), read);
    expect(later.tools[0]?.held.map(({ hash }) => hash)).toEqual(hashes);
    const after = look(acceptDefinitions(later, new Set(hashes), BOB, 5 * HOUR_MS), 5 * HOUR_MS);
    expect(after.tools[0]?.held.map(({ hash }) => hash)).toEqual(
      people.slice(MOST_HELD).map((it) => it.definitionHash),
    );
  });

  it('that is another one at each look is told of as often as it can wait, and then once a day', () => {
    let review = seen('first_use', [tool('add')]);
    const looks = 3 * 24;
    const told: number[] = [];
    for (let hour = 0; hour < looks; hour += 1) {
      const found = reviewTools(review, [tool('add', `as of ${hour}`)], 'first_use', hour * HOUR_MS);
      if (found.newlyHeld.length > 0) told.push(hour);
      review = found.review ?? review;
    }
    expect(told).toEqual([0, 1, 2, 3, 4, 28, 52]);
    expect(review.tools[0]?.held).toHaveLength(MOST_HELD);
    expect(review.tools[0]?.held.at(-1)?.hash).toBe(tool('add', `as of ${looks - 1}`).definitionHash);
  });

  it.each([
    ['nobody was shown for a week waits no more', 7 * 24, []],
    ['was shown meanwhile still waits', 24, ['for Ana']],
  ])('of which a definition %s', (_what, everyHours, waiting) => {
    let review = seen('first_use', [tool('add')]);
    for (let hour = 0; hour <= 7 * 24; hour += everyHours) {
      const forAna = hour < 7 * 24 ? [[tool('add', 'for Ana')]] : [];
      for (const list of [...forAna, [tool('add')]]) {
        review = reviewTools(review, list, 'first_use', hour * HOUR_MS).review ?? review;
      }
    }
    const hashes = waiting.map((words) => tool('add', words).definitionHash);
    expect(review.tools[0]?.held.map(({ hash }) => hash)).toEqual(hashes);
  });

  it('that is as it was reviewed may be called, while another definition of it waits', () => {
    const review = seen('first_use', [tool('add')], [tool('add', 'for somebody else')]);
    const { tools, review: after } = reviewTools(review, [tool('add')], 'first_use', 3);
    expect(heldNames(tools)).toEqual([]);
    expect(after).toBeNull();
  });

  it('that goes and comes again as another is held', () => {
    const review = seen('first_use', [tool('add'), tool('read')], [tool('read')]);
    expect(heldNames(reviewTools(review, [tool('add', 'another')], 'first_use', 3).tools)).toEqual(['add']);
  });

  it('may be called once its definition was accepted, and no other', () => {
    const changed = tool('add', 'another');
    const review = seen('first_use', [tool('add')], [changed]);
    const after = acceptDefinitions(review, new Set([changed.definitionHash]), BOB, 5);
    expect(heldNames(reviewTools(after, [changed], 'first_use', 6).tools)).toEqual([]);
    expect(heldNames(reviewTools(after, [tool('add', 'a third')], 'first_use', 6).tools)).toEqual(['add']);
    expect(after.tools[0]?.accepted.at(-1)).toEqual({
      hash: changed.definitionHash,
      at: 5,
      by: BOB,
    });
  });

  it('is not accepted by the hash of another', () => {
    const review = seen('first_use', [tool('add')], [tool('add', 'another')]);
    expect(acceptDefinitions(review, new Set([tool('add', 'a third').definitionHash]), BOB, 5)).toEqual(
      review,
    );
  });

  it('is held where its server has listed too many names by then', () => {
    const names = Array.from({ length: MOST_REVIEWED }, (_, index) => `t${index}`);
    const review = seen(
      'first_use',
      names.map((name) => tool(name)),
    );
    const {
      tools,
      review: after,
      beyond,
    } = reviewTools(review, [tool('t0'), tool('one_more')], 'first_use', 2);
    expect(heldNames(tools)).toEqual(['one_more']);
    expect(tools[1]?.unavailableReason).toContain('more than 500 names');
    // Where nothing is held, no wildcard allows it.
    const { tools: used } = reviewTools(review, [tool('one_more')], 'off', 2);
    expect(used).toMatchObject([{ name: 'one_more', isNew: true }]);
    expect(heldNames(used)).toEqual([]);
    expect(after).toBeNull();
    expect(beyond).toEqual(['one_more']);
  });

  it.each(['__proto__', 'constructor', 'toString'])('called %s is held like any other', (name) => {
    const review = seen('first_use', [tool(name)]);
    expect(heldNames(reviewTools(review, [tool(name, 'another')], 'first_use', 2).tools)).toEqual([name]);
  });
});

describe('how a server is reviewed', () => {
  const servers = mcpServersSchema.parse({
    own: { in_process: 'own' },
    usual: { command: 'x' },
    strict: { command: 'x', tool_review: 'required' },
    known: { command: 'x', trusted: true },
  });

  it('is as it says, else as is usual; what comes with the program is not', () => {
    const modes = ['own', 'usual', 'strict'].map((server) => reviewMode(servers, server, 'first_use'));
    expect(modes).toEqual([null, 'first_use', 'required']);
  });

  it.each([
    ['own', false, true],
    ['usual', true, false],
    ['known', false, true],
  ])('what %s says in its own favour counts only where it is trusted', (server, destructive, readOnly) => {
    const harmless = { ...tool('read', 'reads', { readOnlyHint: true }), server };
    expect(withoutUntrustedHints(servers, harmless)).toMatchObject({ destructive, readOnly });
  });
});

describe('what has changed', () => {
  const before = tool('add').asListed;

  it('is shown value by value', () => {
    const after = toDefinition(
      {
        name: 'add',
        description: 'Adds, and tells.',
        inputSchema: { type: 'object', properties: { amount: { type: 'integer', enum: [1, 2] } } },
      },
      { server: 'ledger', toolType: 'ledger', modelName: 'ledger__add' },
    ).asListed;
    expect(diffDefinitions(before, after)).toEqual([
      '- description: "as it was"',
      '+ description: "Adds, and tells."',
      '- annotations: {}',
      '+ inputSchema.properties.amount.type: "integer"',
      '+ inputSchema.properties.amount.enum: [1,2]',
    ]);
  });

  it('is shown although nobody could see it', () => {
    const lines = diffDefinitions(before, tool('add', 'as it\u200b was\u202e').asListed);
    expect(lines.map(escapeInvisible)).toEqual([
      '- description: "as it was"',
      '+ description: "as it⟨U+200B⟩ was⟨U+202E⟩"',
    ]);
  });

  it('is not hidden by a name that looks like a way', () => {
    const is = { 'a.b': 1, a: { b: 2 } };
    expect(diffDefinitions(null, is)).toEqual(['+ "a.b": 1', '+ a.b: 2']);
  });

  it('is all of it where there was nothing', () => {
    expect(diffDefinitions(null, before)).toEqual([
      '+ name: "add"',
      '+ description: "as it was"',
      '+ inputSchema.type: "object"',
      '+ annotations: {}',
    ]);
  });
});
