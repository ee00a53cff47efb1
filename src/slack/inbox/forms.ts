import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import {
  findRepeatedRules,
  findRule,
  LONGEST,
  listRules,
  type Mailbox,
  type Preference,
  type PreferenceChange,
  type SettingChange,
} from '../../inbox/ports.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from '../modals/form/free-text.ts';
import { INPUT } from '../modals/form/inputs.ts';
import { inputState, parseStateValues } from '../modals/form/read.ts';
import { modal } from '../modals/modal.ts';
import { button, context, LIMITS, option, plain, richText, section, text } from '../text/block-kit.ts';
import { DIGEST, INBOX } from '../texts/inbox.ts';
import { changeLine, INBOX_FORM } from '../texts/inbox-forms.ts';
import { rulesBeyond } from './rule-lines.ts';
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
/** Rules of one change, and the characters of each. */
const MOST_RULES = 6;
const LONGEST_RULE = 180;
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

/** What was learned and changed, and what somebody changed in their rules, newest first, each with a way to undo it. */
export function historyModal(
  history: readonly PreferenceChange[],
  settings: readonly SettingOf[],
  timeZone: string,
): ModalView {
  const all = [
    ...history.map((change) => ({ at: change.at, toBlock: () => changeBlock(change, timeZone) })),
    ...settings.map((change) => ({ at: change.at, toBlock: () => settingBlock(change, timeZone) })),
  ].toSorted((a, b) => b.at - a.at);
  const left = all.length - LISTED;
  const intro = all.length === 0 ? INBOX_FORM.historyNone : INBOX_FORM.historyIntro;
  return modal({
    callbackId: 'inbox.history',
    title: INBOX_FORM.historyTitle,
    submit: null,
    metadata: {},
    blocks: [
      context('intro', intro),
      ...all.slice(0, LISTED).map(({ toBlock }) => toBlock()),
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
  return undoableBlock(`${line}\n${facts.join(' · ')}`, id, { canUndo: !isUndone && why !== 'undo' });
}

/** `value`: with which it's undone; `canUndo`: whether it can be; `isSeveral`: whether that undoes several lines. */
function undoableBlock(
  words: string,
  value: string,
  { canUndo, isSeveral = false }: { readonly canUndo: boolean; readonly isSeveral?: boolean },
): KnownBlock {
  const block = { type: 'section', block_id: `change:${value}`, text: plain(words) } as const;
  const label = isSeveral ? INBOX_FORM.undoAll : DIGEST.undo;
  return canUndo ? { ...block, accessory: button(ACTIONS.undoLearned, label, value) } : block;
}

type SettingOf = SettingChange & { readonly server: string };

/**
 * What was saved just now, each change with its Undo, and what it applies to. `typed`: the rules as they were sent, of which those aren't
 * kept that are there already.
 */
export function savedModal(
  mailbox: Pick<Mailbox, 'server' | 'isOn' | 'rules'>,
  changes: readonly SettingChange[],
  typed: string = mailbox.rules,
): ModalView {
  const server = strange(mailbox.server, 60);
  return modal({
    callbackId: 'inbox.saved',
    title: INBOX_FORM.rulesTitle,
    submit: null,
    metadata: {},
    blocks: [
      context('mailbox', changes.length === 0 ? INBOX_FORM.nothingSaved(server) : INBOX_FORM.saved(server)),
      ...rulesThere(mailbox.rules, typed).map((words, index) => context(`there.${index}`, words)),
      ...changes.map((change) => {
        const lines =
          change.kind === 'rules'
            ? describeRuleChanges(change, { hasNumbers: true })
            : [INBOX_FORM.about(describeBackground(change))];
        return undoableBlock(lines.join('\n'), toSettingValue(change.id), {
          canUndo: true,
          isSeveral: lines.length > 1,
        });
      }),
      ...repeatedRules(mailbox.rules).map((words, index) => context(`same.${index}`, words)),
      ...rulesBeyond(mailbox.rules).map((words, index) => richText(`beyond.${index}`, section(text(words)))),
      context('applies', INBOX_FORM.applies(server, mailbox.isOn)),
    ],
  });
}

/** What begins the value of a button that undoes a change of a setting. */
const SETTING = 'setting:';

/** The value of a button that undoes a change of a setting. */
export function toSettingValue(changeId: string): string {
  return `${SETTING}${changeId}`;
}

/** The id of the change of a setting that a button undoes; null for one that undoes what was learned. */
export function readSettingId(value: string): string | null {
  return value.startsWith(SETTING) ? value.slice(SETTING.length) : null;
}

function settingBlock(change: SettingOf, timeZone: string): KnownBlock {
  const { id, at, kind, why, isUndone, server } = change;
  const lines = kind === 'rules' ? describeRuleChanges(change) : [describeBackground(change)];
  const facts = [
    INBOX.setting[kind](strange(server, 60)),
    INBOX.from[why],
    formatInstant(at, timeZone),
    ...(isUndone ? [INBOX.from.undo] : []),
  ];
  const words = [...lines, facts.join(' · ')].join('\n');
  const canUndo = !isUndone && why !== 'undo';
  return undoableBlock(words, toSettingValue(id), { canUndo, isSeveral: lines.length > 1 });
}

/** Which rules are new, and which are gone. `hasNumbers`: the new ones have those that they have then. */
function describeRuleChanges(
  { before, after }: SettingChange,
  { hasNumbers = false } = {},
): readonly string[] {
  const [old, now] = [before, after].map(listRules);
  const show = (rule: string) => strange(rule, LONGEST_RULE);
  const added = (now ?? []).flatMap((rule, index) => {
    if (old?.includes(rule)) return [];
    const line = changeLine({ what: 'added', before: null, after: show(rule) });
    return hasNumbers ? INBOX_FORM.newRule(index + 1, show(rule)) : line;
  });
  const removed = (old ?? []).filter((rule) => !now?.includes(rule)).map(show);
  const all = [
    ...added,
    ...removed.map((rule) => changeLine({ what: 'removed', before: rule, after: null })),
  ];
  if (all.length === 0) return [INBOX_FORM.inAnotherOrder];
  const left = all.length - MOST_RULES;
  return left > 0 ? [...all.slice(0, MOST_RULES), INBOX_FORM.moreLines(left)] : all;
}

/** Which rules say what one before them says. */
function repeatedRules(rules: string): readonly string[] {
  const same = findRepeatedRules(listRules(rules)).slice(0, MOST_RULES);
  return same.map(({ rule, first }) => INBOX_FORM.sameRule(rule, first));
}

/** Which of the rules that were sent weren't added, as they are there already. */
function rulesThere(rules: string, typed: string): readonly string[] {
  const kept = listRules(rules);
  return listRules(typed)
    .filter((rule) => !kept.includes(rule))
    .slice(0, MOST_RULES)
    .flatMap((rule) => {
      const number = findRule(kept, rule);
      return number === null ? [] : INBOX_FORM.ruleThere(strange(rule, LONGEST_RULE), number);
    });
}

function describeBackground({ before, after }: SettingChange): string {
  const what = before === '' ? 'added' : after === '' ? 'removed' : 'changed';
  return changeLine({ what, before: strange(before, LONGEST_LINE), after: strange(after, LONGEST_LINE) });
}
