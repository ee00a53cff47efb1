import type { InputBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { canBeReordered } from '../../../../src/slack/cards/plan-block.ts';
import { planOrderModal, readPlanOrder } from '../../../../src/slack/modals/plan-order.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { approvedBy, callView } from '../cards/fixtures.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** The steps of a plan, by their names, with what is special about some. */
function plan(count: number, special: Readonly<Record<string, Partial<CallRecord>>> = {}) {
  return NAMES.slice(0, count).map((callId, index) => ({
    view: callView({ callId, after: NAMES.slice(0, index), ...special[callId] }, { callKey: callId }),
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
    ['what is needed after it', { b: 5 }, { 'place:b': '“4. Step d” needs this, and would come before it.' }],
  ])('is refused beside the field for %s', (_what, numbers, errors) => {
    expect(readPlanOrder(plan(5, { d: { needs: ['b'] } }), sent(numbers))).toEqual({ errors });
  });

  it('may move a step with what it needs', () => {
    const steps = plan(5, { d: { needs: ['b'] }, a: { needs: [] } });
    expect(readPlanOrder(steps, sent({ b: 1, d: 2 }))).toEqual({ order: [...'bdace'] });
  });
});

describe('the form', () => {
  it('has one field for each step that can be moved, with the numbers that it can have', () => {
    const steps = plan(10, { a: { state: 'succeeded' }, d: { needs: ['b', 'c'] } });
    const view = planOrderModal('r1', steps);
    assertView(view);
    const fields = view.blocks.filter((block): block is InputBlock => block.type === 'input');
    expect(fields.map(({ label }) => label.text)).toEqual(steps.slice(1).map(({ act }) => act));
    expect(fields[2]).toMatchObject({
      hint: { text: 'Needs steps 2, 3.' },
      element: { initial_option: { text: { text: '4' } } },
    });
    const [first] = fields;
    const options = first?.element.type === 'static_select' ? (first.element.options ?? []) : [];
    expect(options.map(({ text }) => text.text)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9', '10']);
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
