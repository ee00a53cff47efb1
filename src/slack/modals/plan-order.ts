import type { ContextBlock, InputBlock, ModalView } from '@slack/types';
import { canBeMoved, neededCalls } from '../../gate/types.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { MODALS } from '../cards/action-ids.ts';
import type { CallView } from '../cards/call-view.ts';
import { context, option, plain } from '../text/block-kit.ts';
import { PLAN_ORDER } from '../texts/plan-order.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, parseStateValues } from './form/read.ts';
import { modal } from './modal.ts';

const PLACE = 'place:';
/** The longest label, in characters. */
const LABEL_LENGTH = 150;

/** A step of a plan with its words: "2. Run simulation". */
export interface NumberedStep {
  readonly view: CallView;
  readonly act: string;
}

/**
 * The form that changes the order of a plan: each step that can be moved, with the numbers that it can have. Whoever gives a
 * step another one moves it there, and the others make room, so that one choice moves one step. What each needs is said beside
 * it.
 */
export function planOrderModal(requestKey: string, steps: readonly NumberedStep[]): ModalView {
  const fields = movablePlaces(steps).map((place) => field(steps, place));
  const canMove = fields.some(({ type }) => type === 'input');
  return modal({
    callbackId: MODALS.planOrder,
    title: PLAN_ORDER.title,
    submit: canMove ? PLAN_ORDER.submit : null,
    metadata: { requestKey, shown: orderDigest(steps) },
    blocks: [context('how', canMove ? PLAN_ORDER.how : PLAN_ORDER.noneMoves), ...fields],
  });
}

/** The field of a step, or a line where what it needs, and what needs it, leave it one place. */
function field(steps: readonly NumberedStep[], place: number): InputBlock | ContextBlock {
  const { view, act = '' } = steps[place] ?? {};
  const blockId = `${PLACE}${view?.callKey}`;
  const bounds = PLAN_ORDER.bounds({
    needs: neededPlaces(steps, place).map((at) => at + 1),
    neededBy: steps.flatMap((_step, at) => (neededPlaces(steps, at).includes(place) ? [at + 1] : [])),
  });
  const numbers = possiblePlaces(steps, place).map((at) => option(String(at + 1), String(at + 1)));
  const own = numbers.find(({ value }) => value === String(place + 1));
  if (own === undefined || numbers.length === 1) return context(blockId, PLAN_ORDER.stays(act, bounds));
  return {
    type: 'input',
    block_id: blockId,
    label: plain(act, LABEL_LENGTH),
    element: { type: 'static_select', action_id: INPUT, options: numbers, initial_option: own },
    ...(bounds !== '' && { hint: plain(bounds) }),
  };
}

/** A digest of the order that a form showed. */
export function orderDigest(steps: readonly NumberedStep[]): string {
  return sha256Hex(steps.map(({ view }) => view.callKey).join(' '));
}

type OrderReading =
  | { readonly order: readonly string[] }
  | { readonly errors: Readonly<Record<string, string>> };

/** The ids of the calls in the order that the form asks for, or what is wrong with it. Throws ZodError when `values` isn't Slack's. */
export function readPlanOrder(steps: readonly NumberedStep[], values: unknown): OrderReading {
  const parsed = parseStateValues(values);
  const places = movablePlaces(steps);
  const chosen = steps.map(({ view }, place) => {
    const number = inputState(parsed, PLACE + view.callKey)?.selected_option?.value;
    const value = Number(number ?? place + 1) - 1;
    return places.includes(place) && places.includes(value) ? value : place;
  });
  const isMoved = (index: number) => chosen[index] !== index;
  const errors: Record<string, string> = {};
  const beside = (index: number, problem: string) => {
    errors[PLACE + (steps[index]?.view.callKey ?? '')] ??= problem;
  };
  for (const [index, place] of chosen.entries()) {
    const other = chosen.findIndex((it, at) => at < index && it === place && isMoved(at));
    if (isMoved(index) && other !== -1) beside(index, PLAN_ORDER.taken(place + 1, steps[other]?.act ?? ''));
  }
  if (Object.keys(errors).length > 0) return { errors };
  const order = arrange(chosen, places);
  for (const [index, { act }] of steps.entries()) {
    for (const needed of neededPlaces(steps, index)) {
      if (!places.includes(index) || order.indexOf(needed) < order.indexOf(index)) continue;
      if (isMoved(index)) beside(index, PLAN_ORDER.tooEarly(steps[needed]?.act ?? ''));
      else beside(needed, PLAN_ORDER.tooLate(act));
    }
  }
  if (Object.keys(errors).length > 0) return { errors };
  return { order: order.map((index) => steps[index]?.view.call.callId ?? '') };
}

/**
 * The steps, by the places that they had, in their new order: what was moved, or can't be, has its place, and the others fill
 * the rest.
 */
function arrange(chosen: readonly number[], movable: readonly number[]): readonly number[] {
  const makesRoom = (index: number) => movable.includes(index) && chosen[index] === index;
  const others = movable.filter(makesRoom);
  const placed = new Map(
    chosen.flatMap((place, index) => (makesRoom(index) ? [] : [[place, index] as const])),
  );
  return chosen.map((_chosen, place) => placed.get(place) ?? others.shift() ?? place);
}

function movablePlaces(steps: readonly NumberedStep[]): readonly number[] {
  return steps.flatMap(({ view }, place) => (canBeMoved(view.call) ? [place] : []));
}

/** The places that a step can have, if need be with others: after all that it needs, and before all that need it. */
function possiblePlaces(steps: readonly NumberedStep[], place: number): readonly number[] {
  const movable = movablePlaces(steps);
  const before = allNeeded(steps, place);
  const needed = movable.filter((at) => before.has(at)).length;
  const needing = movable.filter((at) => allNeeded(steps, at).has(place)).length;
  const ended = steps.findLastIndex((_step, at) => before.has(at) && !movable.includes(at));
  return movable.slice(needed, movable.length - needing).filter((at) => at > ended);
}

/** What a step needs, and what that needs. */
function allNeeded(steps: readonly NumberedStep[], place: number): ReadonlySet<number> {
  const found = new Set(neededPlaces(steps, place));
  // What is added while it is gone through is gone through, too.
  for (const at of found) for (const further of neededPlaces(steps, at)) found.add(further);
  return found;
}

function neededPlaces(steps: readonly NumberedStep[], place: number): readonly number[] {
  const needed = new Set(steps.slice(place, place + 1).flatMap(({ view }) => neededCalls(view.call)));
  return steps.flatMap(({ view }, at) => (needed.has(view.call.callId) ? [at] : []));
}
