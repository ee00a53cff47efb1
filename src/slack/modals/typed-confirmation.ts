import type { InputBlock, ModalView } from '@slack/types';
import { confirmationProblems } from '../../gate/index.ts';
import type { CallRecord } from '../../gate/types.ts';
import { type Confirmation, requiredConfirmations } from '../../gate/types.ts';
import { propertiesInOrder } from '../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { TYPED_VALUE } from '../../presentation/texts.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { plain } from '../text/block-kit.ts';
import { MODAL, TYPED } from '../texts/modals.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, parseStateValues } from './form/read.ts';
import { modal } from './modal.ts';

/** The form to approve a call by typing the values that the policy names, which proves they were read. */
export function confirmModal(view: CallView): ModalView {
  const { call, approval } = view;
  return modal({
    callbackId: MODALS.confirm,
    title: MODAL.approve(toolTitle(call.tool)),
    submit: TYPED.submit,
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      ...approval.confirmations.map((wanted, index) => typedInput(call, wanted, index)),
    ],
  });
}

function typedInput(call: CallRecord, { argument, expected }: Confirmation, index: number): InputBlock {
  const properties = propertiesInOrder(call.tool, [argument]);
  const label = properties.find(({ name }) => name === argument)?.label ?? argument;
  return {
    type: 'input',
    block_id: typedBlockId(index),
    label: plain(TYPED_VALUE.label(clip(oneLine(visible(label)), 150))),
    hint: plain(
      expected === null ? TYPED_VALUE.missing : TYPED_VALUE.hint(clip(oneLine(visible(expected)), 300)),
    ),
    optional: false,
    element: { type: 'plain_text_input', action_id: INPUT, focus_on_load: index === 0 },
  };
}

/**
 * Reads the typed values by argument. `values` is `view.state.values`; throws ZodError when it isn't Slack's.
 */
export function readTyped(call: CallRecord, values: unknown): Readonly<Record<string, string>> {
  const state = parseStateValues(values);
  const typed = requiredConfirmations(call).map(({ argument }, index) => [
    argument,
    inputState(state, typedBlockId(index))?.value ?? '',
  ]);
  return Object.fromEntries(typed);
}

/** The errors in the typed values, by the block to show them beside. */
export function typedErrors(
  call: CallRecord,
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const problems = confirmationProblems(call, typed);
  const beside = requiredConfirmations(call).flatMap(({ argument }, index): [string, string][] => {
    const problem = Object.hasOwn(problems, argument) ? problems[argument] : undefined;
    return problem === undefined ? [] : [[typedBlockId(index), problem]];
  });
  return Object.fromEntries(beside);
}

function typedBlockId(index: number): string {
  return `typed.${index}`;
}
