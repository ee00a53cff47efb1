import type { PreferenceChange } from '../../inbox/ports.ts';
import { formatCount } from '../../lib/count.ts';

/** The forms. */
export const INBOX_FORM = {
  rulesTitle: 'Your mailbox',
  submit: 'Save',
  background: 'About you',
  backgroundHint: 'Who you are and what you do, for whoever sorts your mail and drafts your answers.',
  rules: 'Rules',
  rulesHint:
    'In plain words, one each line. For example: Newsletters: ignore. Mails of customers: answer. Bills: tell me.',
  tooLong: (most: number) => `This is longer than ${formatCount(most)} characters.`,
  saved: (server: string) => `Saved for ${server}`,
  newRule: (number: number, words: string) => `New, as rule ${formatCount(number)}: ${words}`,
  sameRule: (number: number, first: number) =>
    `Rule ${formatCount(number)} says the same as rule ${formatCount(first)}.`,
  ruleThere: (words: string, number: number) =>
    `Not added: “${words}”. It’s there already, as rule ${formatCount(number)}.`,
  nothingSaved: (server: string) => `Nothing changed for ${server}`,
  beyond: (number: number, words: string, does: string) =>
    `⚠️ Rule ${formatCount(number)} can’t be followed as it stands: “${words}”. No rule ${does}. It can say that such mails are ignored, listed or answered, as in “Mails from my boss: tell me”.`,
  about: (change: string) => `About you. ${change}`,
  applies: (server: string, isOn: boolean) =>
    `${isOn ? '' : `${server} isn’t watched now. `}Rules say whether mails that come to ${server} from now on are ignored, listed or answered, and nothing else: they forward, move, delete and send nothing, and every answer waits until it’s accepted. What is sorted already stays. The reason beside each mail says if a rule decided it.`,
  preferenceTitle: 'What I learned',
  preferenceHint: 'I go by this from the next mail on.',
  learnedNone: 'Nothing yet.',
  undoAll: 'Undo all of it',
  historyTitle: 'History',
  historyNone: 'Nothing has changed yet.',
  historyIntro: 'What I learned and what you changed, newest first.',
  inAnotherOrder: 'In another order',
  moreLines: (count: number) => `and ${formatCount(count)} more`,
  historyMore: (count: number) => `and ${formatCount(count)} older changes`,
} as const;

/** What no rule does, where one asks for it. */
export const NO_RULE = {
  forward: 'forwards mails',
  remove: 'deletes mails',
  move: 'moves, archives or labels mails',
  call: 'calls or texts anybody',
  mark: 'marks mails',
  block: 'blocks senders, or unsubscribes',
  other: 'does anything with mails elsewhere',
  send: 'sends anything; answers wait until you accept them',
} as const;

/** One change in the history. `what` says what has become of what. */
export function changeLine({
  what,
  before,
  after,
}: Pick<PreferenceChange, 'what' | 'before' | 'after'>): string {
  if (what === 'added') return `Added: ${after ?? ''}`;
  if (what === 'removed') return `Removed: ${before ?? ''}`;
  return `Changed: ${after ?? ''} (before: ${before ?? ''})`;
}
