import type { InputBlock, ModalView } from '@slack/types';
import { canBeMoved } from '../../gate/types.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { MODALS } from '../cards/action-ids.ts';
import type { CallView } from '../cards/call-view.ts';
import { context, option, plain } from '../text/block-kit.ts';
import { PLAN_ORDER } from '../texts/modals.ts';
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
 * The form that changes the order of a plan: each step that can be moved, with its number. Whoever gives a step another one
 * moves it there, and the others make room, so that one choice moves one step.
 */
export function planOrderModal(requestKey: string, steps: readonly NumberedStep[]): ModalView {
  const numbers = movablePlaces(steps).map((place) => option(String(place + 1), String(place + 1)));
  const inputs = steps.flatMap(({ view, act }, place): InputBlock[] => {
    const own = numbers.find(({ value }) => value === String(place + 1));
    if (own === undefined) return [];
    const needed = neededPlaces(steps, view).map((at) => at + 1);
    return [
      {
        type: 'input',
        block_id: `${PLACE}${view.callKey}`,
        label: plain(act, LABEL_LENGTH),
        element: { type: 'static_select', action_id: INPUT, options: numbers, initial_option: own },
        ...(needed.length > 0 && { hint: plain(PLAN_ORDER.needs(needed)) }),
      },
    ];
  });
  return modal({
    callbackId: MODALS.planOrder,
    title: PLAN_ORDER.title,
    submit: PLAN_ORDER.submit,
    metadata: { requestKey, shown: orderDigest(steps) },
    blocks: [context('how', PLAN_ORDER.how), ...inputs],
  });
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
  for (const [index, { view, act }] of steps.entries()) {
    for (const needed of neededPlaces(steps, view)) {
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

function neededPlaces(steps: readonly NumberedStep[], { call }: CallView): readonly number[] {
  return (call.needs ?? []).flatMap((callId) => {
    const place = steps.findIndex(({ view }) => view.call.callId === callId);
    return place === -1 ? [] : [place];
  });
}
