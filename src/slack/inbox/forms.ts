import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { LONGEST, type Mailbox, type Preference, type PreferenceChange } from '../../inbox/ports.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from '../modals/form/free-text.ts';
import { INPUT } from '../modals/form/inputs.ts';
import { inputState, parseStateValues } from '../modals/form/read.ts';
import { modal } from '../modals/modal.ts';
import { button, context, LIMITS, option, plain } from '../text/block-kit.ts';
import { changeLine, DIGEST, INBOX, INBOX_FORM } from '../texts/inbox.ts';
import { strange } from './whole-mail.ts';

const BACKGROUND = 'background';
const RULES = 'rules';
const WORDS = 'text';

/** An input of Slack's holds less than a mailbox does. */
export const LONGEST_RULES = Math.min(LONGEST.rules, LIMITS.inputInitial);
const LONGEST_BACKGROUND = Math.min(LONGEST.background, LIMITS.inputInitial);
/** Changes that the history lists, of the 100 blocks of a view; and the longest line of one, in characters. */
const LISTED = 95;
const LONGEST_LINE = 600;
const LONGEST_LEARNED = 300;

/** The form to say who one is, and what to do with which mails. */
export function rulesModal({ id, server, background, rules }: Mailbox): ModalView {
  return modal({
    callbackId: MODALS.editInbox,
    title: INBOX_FORM.rulesTitle,
    submit: INBOX_FORM.submit,
    metadata: { id },
    blocks: [
      context('mailbox', strange(server, 60)),
      optionalInput(BACKGROUND, INBOX_FORM.background, INBOX_FORM.backgroundHint, {
        initial: background,
        most: LONGEST_BACKGROUND,
      }),
      optionalInput(RULES, INBOX_FORM.rules, INBOX_FORM.rulesHint, { initial: rules, most: LONGEST_RULES }),
    ],
  });
}

function optionalInput(
  blockId: string,
  label: string,
  hint: string,
  { initial, most }: { readonly initial: string; readonly most: number },
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label),
    hint: plain(hint),
    optional: true,
    element: {
      type: 'plain_text_input',
      action_id: INPUT,
      multiline: true,
      max_length: most,
      ...(initial !== '' && { initial_value: initial.slice(0, most) }),
    },
  };
}

/** Reads both texts; either may be empty. Throws ZodError when `values` isn't Slack's. */
export function readRules(values: unknown): Pick<Mailbox, 'background' | 'rules'> {
  const state = parseStateValues(values);
  const read = (blockId: string) => (inputState(state, blockId)?.value ?? '').trim();
  return { background: read(BACKGROUND), rules: read(RULES) };
}

/** The form to change something that was learned. `list`: the id of the view below it, which lists it; empty: there's none. */
export function preferenceModal({ id, kind, text: initial }: Preference, list = ''): ModalView {
  const most = LONGEST.preference;
  const input = freeTextInput(WORDS, INBOX.kind[kind], INBOX_FORM.preferenceHint, { initial, most });
  return modal({
    callbackId: MODALS.editLearned,
    title: INBOX_FORM.preferenceTitle,
    submit: INBOX_FORM.submit,
    metadata: { id, list },
    blocks: [input],
  });
}

/** Reads the text. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readPreference(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}

/** All that was learned, newest first, each to be changed or forgotten. */
export function learnedModal(learned: readonly Preference[]): ModalView {
  const left = learned.length - LISTED;
  return modal({
    callbackId: 'inbox.all_learned',
    title: INBOX_FORM.preferenceTitle,
    submit: null,
    metadata: {},
    blocks: [
      context('intro', learned.length === 0 ? INBOX_FORM.learnedNone : INBOX.about),
      ...learned.toReversed().slice(0, LISTED).map(learnedBlock),
      ...(left > 0 ? [context('more', INBOX.moreLearned(left))] : []),
    ],
  });
}

/** Something that was learned, with what can be done with it. */
export function learnedBlock({ id, kind, text: words, from }: Preference): KnownBlock {
  const line = INBOX.line(INBOX.kind[kind], strange(words, LONGEST_LEARNED));
  return {
    type: 'section',
    block_id: `preference:${id}`,
    text: plain(`${line}\n${INBOX.from[from]}`),
    accessory: {
      type: 'overflow',
      action_id: ACTIONS.learnedItem,
      options: [option(INBOX.editPreference, `edit:${id}`), option(INBOX.forget, `forget:${id}`)],
    },
  };
}

/** What was learned and changed, newest first, each with a way to undo it. */
export function historyModal(history: readonly PreferenceChange[], timeZone: string): ModalView {
  const left = history.length - LISTED;
  const intro = history.length === 0 ? INBOX_FORM.historyNone : INBOX_FORM.historyIntro;
  return modal({
    callbackId: 'inbox.history',
    title: INBOX_FORM.historyTitle,
    submit: null,
    metadata: {},
    blocks: [
      context('intro', intro),
      ...history.slice(0, LISTED).map((change) => changeBlock(change, timeZone)),
      ...(left > 0 ? [context('more', INBOX_FORM.historyMore(left))] : []),
    ],
  });
}

function changeBlock(change: PreferenceChange, timeZone: string): KnownBlock {
  const { id, at, kind, why, isUndone } = change;
  const [before, after] = [change.before, change.after].map((words) =>
    words === null ? null : strange(words, LONGEST_LINE),
  );
  const line = changeLine({ what: change.what, before: before ?? null, after: after ?? null });
  const facts = [
    INBOX.kind[kind],
    INBOX.from[why],
    formatInstant(at, timeZone),
    ...(isUndone ? [INBOX.from.undo] : []),
  ];
  const words = {
    type: 'section',
    block_id: `change:${id}`,
    text: plain(`${line}\n${facts.join(' · ')}`),
  } as const;
  return isUndone || why === 'undo'
    ? words
    : { ...words, accessory: button(ACTIONS.undoLearned, DIGEST.undo, id) };
}
