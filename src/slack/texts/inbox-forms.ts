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
  about: (change: string) => `About you. ${change}`,
  applies: (server: string, isOn: boolean) =>
    `${isOn ? '' : `${server} isn’t watched now. `}Rules say whether mails that come to ${server} from now on are ignored, listed or answered, and nothing else: they forward, move, delete and send nothing, and every answer waits until it’s accepted. What is sorted already stays. The reason beside each mail says if a rule decided it.`,
  preferenceTitle: 'What I learned',
  preferenceHint: 'I go by this from the next mail on.',
  learnedNone: 'Nothing yet.',
  historyTitle: 'History',
  historyNone: 'Nothing has changed yet.',
  historyIntro: 'What I learned and what you changed, newest first.',
  inAnotherOrder: 'In another order',
  moreLines: (count: number) => `and ${formatCount(count)} more`,
  historyMore: (count: number) => `and ${formatCount(count)} older changes`,
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
