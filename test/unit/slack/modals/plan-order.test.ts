import type { InputBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { canBeReordered } from '../../../../src/slack/cards/plan-block.ts';
import { planOrderModal, readPlanOrder } from '../../../../src/slack/modals/plan-order.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { approvedBy, callView, flat } from '../cards/fixtures.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** The steps of a plan, by their names, which need none of the others, with what is special about some. */
function plan(count: number, special: Readonly<Record<string, Partial<CallRecord>>> = {}) {
  return NAMES.slice(0, count).map((callId, index) => ({
    view: callView(
      { callId, after: NAMES.slice(0, index), needs: [], ...special[callId] },
      { callKey: callId },
    ),
    act: `${index + 1}. Step ${callId}`,
  }));
}

/** What Slack sends where these steps got these numbers. */
function sent(numbers: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [
      `place:${name}`,
      { value: { type: 'static_select', selected_option: { value: String(number) } } },
    ]),
  );
}

describe('a new order', () => {
  it.each<[string, Record<string, number>, string]>([
    ['nothing is moved', {}, 'abcde'],
    ['the last is moved to the front', { e: 1 }, 'eabcd'],
    ['the first is moved to the end', { a: 5 }, 'bcdea'],
    ['one is moved up by one', { c: 2 }, 'acbde'],
    ['two change places', { a: 5, e: 1 }, 'ebcda'],
    ['two are moved, and the others make room', { a: 3, b: 5 }, 'cdaeb'],
    ['all are turned round', { a: 5, b: 4, c: 3, d: 2, e: 1 }, 'edcba'],
  ])('where %s', (_what, numbers, order) => {
    expect(readPlanOrder(plan(5), sent(numbers))).toEqual({ order: [...order] });
  });

  it('leaves what has ended or begun in its place', () => {
    const steps = plan(5, { a: { state: 'succeeded' }, c: { state: 'rejected' } });
    expect(readPlanOrder(steps, sent({ e: 2 }))).toEqual({ order: [...'aecbd'] });
  });

  it('takes no number from a form that another program made', () => {
    const steps = plan(3, { a: { state: 'succeeded' } });
    expect(readPlanOrder(steps, sent({ a: 3, b: 1, c: 9 }))).toEqual({ order: [...'abc'] });
  });

  it.each<[string, Record<string, number>, Record<string, string>]>([
    ['two with one number', { a: 3, b: 3 }, { 'place:b': '“1. Step a” is to be number 3 already.' }],
    [
      'a step before what it needs',
      { d: 1 },
      { 'place:d': 'This needs “2. Step b”, which would come after it.' },
    ],
    [
      'a step of which nothing is said before any other',
      { e: 4 },
      { 'place:e': 'This needs “4. Step d”, which would come after it.' },
    ],
    ['what is needed after it', { b: 5 }, { 'place:b': '“4. Step d” needs this, and would come before it.' }],
  ])('is refused beside the field for %s', (_what, numbers, errors) => {
    expect(readPlanOrder(plan(5, { d: { needs: ['b'] }, e: { needs: undefined } }), sent(numbers))).toEqual({
      errors,
    });
  });

  it('may move a step with what it needs', () => {
    const steps = plan(5, { d: { needs: ['b'] } });
    expect(readPlanOrder(steps, sent({ b: 1, d: 2 }))).toEqual({ order: [...'bdace'] });
  });
});

/** The numbers that a step is offered; none where it has no field. */
function offered({ blocks }: ModalView, name: string): readonly number[] {
  return blocks.flatMap((block) => {
    if (!isField(block) || block.block_id !== `place:${name}`) return [];
    const options = block.element.type === 'static_select' ? (block.element.options ?? []) : [];
    return options.map(({ value }) => Number(value));
  });
}

function isField(block: ModalView['blocks'][number]): block is InputBlock {
  return block.type === 'input';
}

/** All orders of these. */
function permutations(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length < 2) return [names];
  return names.flatMap((first) =>
    permutations(names.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  );
}

describe('the form', () => {
  it('offers each step the numbers that it can have, and takes no order that breaks what a step needs', () => {
    const count = 5;
    const names = NAMES.slice(0, count);
    const needs = fc.tuple(
      ...names.map((_name, index) => fc.option(fc.subarray(names.slice(0, index)), { nil: undefined })),
    );
    const numbers = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: count }));
    fc.assert(
      fc.property(needs, numbers, (needed, chosen) => {
        const steps = plan(count, Object.fromEntries(names.map((name, at) => [name, { needs: needed[at] }])));
        const isPossible = (order: readonly string[]) =>
          names.every((name, at) =>
            (needed[at] ?? names.slice(0, at)).every((one) => order.indexOf(one) < order.indexOf(name)),
          );
        const possible = permutations(names).filter(isPossible);
        const view = planOrderModal('r1', steps);
        assertView(view);
        for (const name of names) {
          const places = new Set(possible.map((order) => order.indexOf(name) + 1));
          const numbersOf = [...places].toSorted((one, other) => one - other);
          expect(offered(view, name)).toEqual(places.size === 1 ? [] : numbersOf);
        }
        const reading = readPlanOrder(steps, sent(chosen));
        if ('order' in reading) expect(isPossible(reading.order)).toBe(true);
        else expect(Object.keys(reading.errors).length).toBeGreaterThan(0);
      }),
      runs(200),
    );
  });

  it('says of a step that has but one place why it stays there', () => {
    const view = planOrderModal('r1', plan(4, { d: { needs: undefined } }));
    expect(flat(view.blocks)).toContain(
      '4. Step d stays where it is. Comes after steps 1 to 3, which it needs.',
    );
    expect(offered(view, 'a')).toEqual([1, 2, 3]);
  });

  it('has nothing to send where no other order is possible, and says what to do instead', () => {
    const all = Object.fromEntries(NAMES.map((name) => [name, { needs: undefined }]));
    const view = planOrderModal('r1', plan(3, all));
    assertView(view);
    expect(view.submit).toBeUndefined();
    expect(flat(view.blocks)).toContain('No step can be moved, because of what each needs.');
    expect(flat(view.blocks)).toContain('2. Step b stays where it is. Comes after step 1, which it needs.');
  });

  it('has one field for each step that can be moved, with the numbers that it can have', () => {
    const steps = plan(10, { a: { state: 'succeeded' }, d: { needs: ['b', 'c'] } });
    const view = planOrderModal('r1', steps);
    assertView(view);
    const fields = view.blocks.filter(isField);
    expect(fields.map(({ label }) => label.text)).toEqual(steps.slice(1).map(({ act }) => act));
    expect(fields[2]).toMatchObject({
      hint: { text: 'Comes after steps 2 and 3, which it needs.' },
      element: { initial_option: { text: { text: '4' } } },
    });
    expect(fields[0]?.hint?.text).toBe('Comes before step 4, which needs it.');
    expect(offered(view, 'j')).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(offered(view, 'd')).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(offered(view, 'b')).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each<[string, Parameters<typeof plan>[1], boolean]>([
    ['nothing is decided', {}, true],
    ['one is allowed and waits for its turn', { b: { state: 'allowed' } }, true],
    ['one is rejected', { b: { state: 'rejected', decision: null } }, true],
    ['one is approved', { c: { state: 'approved', decision: approvedBy('Ana') } }, false],
    ['only one is left', { a: { state: 'succeeded' }, b: { state: 'rejected' } }, false],
  ])('is offered as it should be where %s', (_what, special, isOffered) => {
    expect(canBeReordered(plan(3, special).map(({ view }) => view))).toBe(isOffered);
  });
});
