import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { dateAt, endOfDay, startOfDay } from '../../presentation/text/dates.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { plain } from '../text/block-kit.ts';
import { HAND_OVER, OUT_OF_OFFICE } from '../texts/modals.ts';
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
    title: HAND_OVER.title(toolTitle(view.call.tool)),
    submit: HAND_OVER.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), personInput(HAND_OVER.label, HAND_OVER.hint)],
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
    title: OUT_OF_OFFICE.title,
    submit: OUT_OF_OFFICE.submit,
    metadata: {},
    blocks: [
      personInput(OUT_OF_OFFICE.person, OUT_OF_OFFICE.personHint),
      date(FROM, OUT_OF_OFFICE.from),
      date(UNTIL, OUT_OF_OFFICE.until),
      {
        type: 'input',
        block_id: REASON,
        label: plain(OUT_OF_OFFICE.reason),
        hint: plain(OUT_OF_OFFICE.reasonHint),
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

type OutOfOfficeReading =
  | { readonly begins: number; readonly until: number; readonly reason: string | null }
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads the days and the reason. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readOutOfOffice(values: unknown, now: number, timeZone: string): OutOfOfficeReading {
  const state = parseStateValues(values);
  const begins = startOfDay(inputState(state, FROM)?.selected_date ?? '', timeZone);
  const until = endOfDay(inputState(state, UNTIL)?.selected_date ?? '', timeZone);
  if (!(until > now)) return { errors: { [UNTIL]: OUT_OF_OFFICE.over } };
  if (!(begins < until)) return { errors: { [UNTIL]: OUT_OF_OFFICE.beforeBegin } };
  return { begins, until, reason: inputState(state, REASON)?.value?.trim() || null };
}
