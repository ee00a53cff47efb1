import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import type { GrantLimits, GrantScope, GrantTerms } from '../../gate/types.ts';
import { argumentNames } from '../../gate/types.ts';
import { describeFixedArguments, findObjectArgument } from '../../presentation/grant-text.ts';
import { propertiesInOrder } from '../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { dateAt, endOfDay } from '../../presentation/text/dates.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { spellLiteral } from '../../presentation/values.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference, describeAct } from '../cards/call-view.ts';
import { context, LIMITS, option, plain } from '../text/block-kit.ts';
import { GRANT_FORM } from '../texts/forms.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, parseStateValues } from './form/read.ts';
import { patternInputs, readPatterns } from './grant-limits.ts';
import { modal } from './modal.ts';

/** The viewer's context, and the limits that operators set for grants. */
export interface GrantModalContext {
  readonly viewerId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA zone of the viewer, in which the grant's last day ends. */
  readonly timeZone: string;
  readonly limits: GrantLimits;
}

const WHAT = 'what';
const STAY = 'stay';
const PLACE = 'place';
const UNTIL = 'until';
const USES = 'uses';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 7;
const USUAL_USES = 20;
/** Slack takes ten checkboxes, and a hundred options in a menu. */
const MAX_BOXES = 10;
const MAX_CHOICES = 100;
/** Longest names in a ready choice, which has 75 characters in all. */
const TITLE_LENGTH = 35;
const LABEL_LENGTH = 20;

/** The form to approve a call and give a grant for similar ones. */
export function grantModal(view: CallView, terms: GrantModalContext): ModalView {
  const { now, timeZone, limits } = terms;
  const lastDay = dateAt(Math.min(now + USUAL_DAYS * DAY_MS, now + limits.forAtMostMs), timeZone);
  return modal({
    callbackId: MODALS.remember,
    title: GRANT_FORM.title(toolTitle(view.call.tool)),
    submit: GRANT_FORM.submit,
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      { type: 'divider' },
      whatInput(view),
      input(PLACE, GRANT_FORM.where, GRANT_FORM.whereHint, {
        type: 'radio_buttons',
        action_id: INPUT,
        options: placeOptions(view, terms),
        initial_option: option(...placeOption('thread', view, terms)),
      }),
      input(UNTIL, GRANT_FORM.until, GRANT_FORM.untilHint(Math.floor(limits.forAtMostMs / DAY_MS)), {
        type: 'datepicker',
        action_id: INPUT,
        initial_date: lastDay,
      }),
      input(USES, GRANT_FORM.uses, GRANT_FORM.usesHint(limits.usesAtMost), {
        type: 'number_input',
        action_id: INPUT,
        is_decimal_allowed: false,
        initial_value: String(Math.min(USUAL_USES, limits.usesAtMost)),
      }),
      ...finerInputs(view),
    ],
  });
}

/** The choice that goes by what is ticked and filled in below. */
const BY_HAND = 'hand';

/** Ready choices of what the grant fixes, in plain words. */
interface Scope {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  /** The arguments that stay the same. */
  readonly fixed: readonly string[];
}

function scopes(view: CallView): readonly Scope[] {
  const { tool, arguments: args } = view.call;
  const names = argumentNames(tool.inputSchema, args);
  const title = clip(toolTitle(tool), TITLE_LENGTH);
  const exactly = { value: 'call', label: GRANT_FORM.exactly, hint: describeAct(view), fixed: names };
  const object = findObjectArgument(tool, args);
  const sameObject =
    object === null || names.length < 2
      ? []
      : [
          {
            value: 'object',
            label: GRANT_FORM.sameObject(title, clip(visible(object.label), LABEL_LENGTH)),
            hint: describeFixedArguments(
              { fixed: { [object.name]: args[object.name] ?? null }, free: [] },
              tool,
              view.resolve,
            ),
            fixed: [object.name],
          },
        ];
  // One click shouldn't allow everything that deletes.
  const any = { value: 'tool', label: GRANT_FORM.anyCall(title), hint: GRANT_FORM.anyHint, fixed: [] };
  const byHand = { value: BY_HAND, label: GRANT_FORM.asChosen, hint: GRANT_FORM.asChosenHint, fixed: names };
  return [
    exactly,
    ...sameObject,
    ...(tool.destructive || names.length === 0 ? [] : [any]),
    ...(finerInputs(view).length === 0 ? [] : [byHand]),
  ];
}

function whatInput(view: CallView): InputBlock {
  const options = scopes(view).map(({ value, label, hint }) => ({
    ...option(oneLine(label), value),
    description: plain(oneLine(hint), LIMITS.optionText),
  }));
  const [first] = options;
  return {
    type: 'input',
    block_id: WHAT,
    label: plain(GRANT_FORM.what),
    element: {
      type: 'radio_buttons',
      action_id: INPUT,
      options,
      ...(first && { initial_option: first }),
    },
  };
}

/** For whom the ready choices don't do: which arguments stay the same, and limits for those that don't. */
function finerInputs(view: CallView): KnownBlock[] {
  const inputs = [...stayInput(view), ...patternInputs(view)];
  return inputs.length === 0 ? [] : [{ type: 'divider' }, context('by-hand', GRANT_FORM.byHand), ...inputs];
}

function input(block: string, label: string, hint: string, element: InputBlock['element']): InputBlock {
  const isOptional = block === STAY;
  return {
    type: 'input',
    block_id: block,
    label: plain(label),
    hint: plain(hint),
    optional: isOptional,
    element,
  };
}

/**
 * The arguments whose values a grant fixes. All are ticked at first. Options are identified by index: names
 * may have any length.
 */
function stayInput(view: CallView): KnownBlock[] {
  const options = argumentOptions(view);
  if (options.length === 0 || options.length > MAX_CHOICES) return [];
  const all = { action_id: INPUT, options, initial_options: options };
  return [
    input(
      STAY,
      GRANT_FORM.stay,
      GRANT_FORM.stayHint,
      options.length <= MAX_BOXES ? { type: 'checkboxes', ...all } : { type: 'multi_static_select', ...all },
    ),
  ];
}

function argumentOptions({ call }: CallView) {
  const names = argumentNames(call.tool.inputSchema, call.arguments);
  const labels = new Map(propertiesInOrder(call.tool, names).map(({ name, label }) => [name, label]));
  return names.map((name, index) => {
    const value = Object.hasOwn(call.arguments, name) ? spellLiteral(call.arguments[name] ?? null) : null;
    const label = clip(oneLine(visible(labels.get(name) ?? name)), 40);
    const words =
      value === null ? GRANT_FORM.notGiven(label) : GRANT_FORM.argument(label, oneLine(visible(value)));
    return option(clip(words, LIMITS.optionText), String(index));
  });
}

function placeOptions(view: CallView, context: GrantModalContext) {
  const isDm = /^slack:[^:]+:D/.test(view.call.threadId);
  const kinds: GrantScope['kind'][] = isDm ? ['thread', 'requester'] : ['thread', 'requester', 'channel'];
  return kinds.map((kind) => option(...placeOption(kind, view, context)));
}

function placeOption(
  kind: GrantScope['kind'],
  { call }: CallView,
  { viewerId }: GrantModalContext,
): [string, string] {
  if (kind === 'thread') return [GRANT_FORM.inThread, kind];
  if (kind === 'channel') return [GRANT_FORM.inChannel, kind];
  const { id, name } = call.requester;
  return [
    id === viewerId ? GRANT_FORM.whereverIAsk : GRANT_FORM.whereverTheyAsk(oneLine(visible(name))),
    kind,
  ];
}

type GrantReading =
  | { readonly terms: GrantTerms }
  /** Error sentences by `block_id`, the form in which a view submission is answered. */
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads the submitted form. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readGrant(view: CallView, values: unknown, context: GrantModalContext): GrantReading {
  const { now, timeZone, limits } = context;
  const state = parseStateValues(values);
  const errors: Record<string, string> = {};
  const picked = inputState(state, UNTIL)?.selected_date ?? '';
  const end = endOfDay(picked, timeZone);
  const days = Math.floor(limits.forAtMostMs / DAY_MS);
  if (!(end > now)) errors[UNTIL] = GRANT_FORM.over;
  if (picked > dateAt(now + limits.forAtMostMs, timeZone)) errors[UNTIL] = GRANT_FORM.tooFar(days);
  const limit = Number(inputState(state, USES)?.value ?? '');
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.usesAtMost) {
    errors[USES] = GRANT_FORM.badUses(limits.usesAtMost);
  }
  const { patterns, errors: unfit } = readPatterns(view, state);
  Object.assign(errors, unfit);
  const place = (['thread', 'requester', 'channel'] as const).find(
    (kind) => kind === inputState(state, PLACE)?.selected_option?.value,
  );
  if (place === undefined) errors[PLACE] = GRANT_FORM.choose;
  if (place === undefined || Object.keys(errors).length > 0) return { errors };
  const fixed = fixedBy(view, state, patterns);
  if ('errors' in fixed) return fixed;
  const until = Math.min(end, now + limits.forAtMostMs);
  const limited = patterns.length === 0 ? {} : { patterns };
  return { terms: { fixed: fixed.names, ...limited, scope: place, until, limit } };
}

/** The arguments that stay fixed, as the choice says; errors where what is below says something else, or too little. */
function fixedBy(
  view: CallView,
  state: ReturnType<typeof parseStateValues>,
  patterns: GrantTerms['patterns'] = [],
): { readonly names: readonly string[] } | { readonly errors: Readonly<Record<string, string>> } {
  const { tool, arguments: args } = view.call;
  const chosen = inputState(state, WHAT)?.selected_option?.value;
  const ready = scopes(view).find(({ value }) => value === chosen);
  if (ready === undefined) return { errors: { [WHAT]: GRANT_FORM.choose } };
  const ticked = stayIn(view, state);
  if (ready.value === BY_HAND) {
    const isLimited = patterns.length > 0 || ticked.some((name) => Object.hasOwn(args, name));
    if (tool.destructive && !isLimited) return { errors: { [STAY]: GRANT_FORM.keepSomething } };
    return { names: ticked };
  }
  const isUnticked = ticked.length < argumentNames(tool.inputSchema, args).length;
  // What a wider choice leaves open may have limits.
  const isOtherwise = isUnticked || (ready.value === 'call' && patterns.length > 0);
  return isOtherwise ? { errors: { [WHAT]: GRANT_FORM.contradicts } } : { names: ready.fixed };
}

/** The arguments that stay fixed; all of them where there was nothing to choose. */
function stayIn({ call }: CallView, state: ReturnType<typeof parseStateValues>): readonly string[] {
  const names = argumentNames(call.tool.inputSchema, call.arguments);
  const block = inputState(state, STAY);
  if (block === null) return names;
  return (block.selected_options ?? []).flatMap(({ value }) => names[Number(value)] ?? []);
}
