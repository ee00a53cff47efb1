import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { oneLine } from '../../presentation/text/clip.ts';
import { dateAt, endOfDay, startOfDay } from '../../presentation/text/dates.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { plain } from '../text/block-kit.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, parseStateValues } from './form/read.ts';
import { modal } from './modal.ts';

/** The block of the person picker; errors about the person are shown beside it. */
export const PERSON_BLOCK = 'person';
const FROM = 'from';
const UNTIL = 'until';
const REASON = 'reason';

/** Longest reason, in characters. */
const REASON_LENGTH = 200;

/** The form to reassign one call. */
export function reassignModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.handOver,
    title: `Hand over: ${oneLine(visible(view.call.tool.title))}`,
    submit: 'Hand over',
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      personInput('To', 'They decide this in your place, until you take it back. The record names you both.'),
    ],
  });
}

/** The form to name a delegate for some days; `now` is in milliseconds since the epoch. */
export function outOfOfficeModal(now: number, timeZone: string): ModalView {
  const today = dateAt(now, timeZone);
  const date = (block: string, label: string): InputBlock => ({
    type: 'input',
    block_id: block,
    label: plain(label),
    optional: false,
    element: { type: 'datepicker', action_id: INPUT, initial_date: today },
  });
  return modal({
    callbackId: MODALS.outOfOffice,
    title: 'Out of office',
    submit: 'Let them decide',
    metadata: {},
    blocks: [
      personInput(
        'Who decides',
        'Where your approval counts, theirs does too; each decision names you both.',
      ),
      date(FROM, 'From the beginning of'),
      date(UNTIL, 'Until the end of'),
      {
        type: 'input',
        block_id: REASON,
        label: plain('Why'),
        hint: plain('They see this. May be left out.'),
        optional: true,
        element: { type: 'plain_text_input', action_id: INPUT, max_length: REASON_LENGTH },
      },
    ],
  });
}

function personInput(label: string, hint: string): InputBlock {
  return {
    type: 'input',
    block_id: PERSON_BLOCK,
    label: plain(label),
    hint: plain(hint),
    optional: false,
    element: { type: 'users_select', action_id: INPUT },
  };
}

const personSchema = z.object({
  [PERSON_BLOCK]: z.object({ [INPUT]: z.object({ selected_user: z.string() }) }),
});

/** Reads the Slack user who was picked; null when nobody was. */
export function readPerson(values: unknown): string | null {
  const read = personSchema.safeParse(values);
  return read.success ? read.data[PERSON_BLOCK][INPUT].selected_user : null;
}

export type OutOfOfficeReading =
  | { readonly begins: number; readonly until: number; readonly reason: string | null }
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads the days and the reason. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readOutOfOffice(values: unknown, now: number, timeZone: string): OutOfOfficeReading {
  const state = parseStateValues(values);
  const begins = startOfDay(inputState(state, FROM)?.selected_date ?? '', timeZone);
  const until = endOfDay(inputState(state, UNTIL)?.selected_date ?? '', timeZone);
  if (!(until > now)) return { errors: { [UNTIL]: 'This day is over.' } };
  if (!(begins < until)) return { errors: { [UNTIL]: 'This is before it begins.' } };
  return { begins, until, reason: inputState(state, REASON)?.value?.trim() || null };
}
