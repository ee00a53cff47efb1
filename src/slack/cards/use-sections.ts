import type { RichTextElement, RichTextSection } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { isNearlyUsedUp, type LimitUse, limitAmount, limitFigure } from '../../runs/index.ts';
import { bold, instant, section, text } from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { USE } from '../texts/commands.ts';
import { andMore } from '../texts/messages.ts';

/** The most people, keys and channels that are listed for an admin. */
const LISTED = 10;

/** What has been used of the day's limits. */
export interface UseView {
  /** The viewer's own limits, and those of the channel where they ask. */
  readonly own: readonly LimitUse[];
  /** For admins: what is nearly used up, with whose it is; null for others, and where no limit is set. */
  readonly near: readonly (LimitUse & { readonly name: string })[] | null;
  /** When it is counted anew, in milliseconds since the epoch. */
  readonly until: number;
  readonly timeZone: string;
}

/** The viewer's use of the day's limits, and for admins what is nearly used up; nothing where no limit is set. */
export function useSections({ own, near, until, timeZone }: UseView): RichTextSection[] {
  const mine = own.filter(({ kind }) => kind !== 'channel');
  const channel = own.filter(({ kind }) => kind === 'channel');
  const sections = [
    ...listUses(USE.own, mine.map(describeUse)),
    ...listUses(USE.channel, channel.map(describeUse)),
    ...(near === null ? [] : nearSections(near)),
  ];
  return sections.length === 0 ? [] : [...sections, section(text(USE.startsAnew), instant(until, timeZone))];
}

function nearSections(near: NonNullable<UseView['near']>): RichTextSection[] {
  if (near.length === 0) return [section(bold(USE.near), text(USE.nobodyNear))];
  const lines = near.slice(0, LISTED).map((use) => USE.whose(nameOwner(use, use.name), describeUse(use)));
  const more = near.length - LISTED;
  return listUses(USE.near, more > 0 ? [...lines, andMore(more)] : lines);
}

/** Whose a limit is, in a sentence; `name`: of the person, key or channel. */
export function nameOwner({ kind }: Pick<LimitUse, 'kind'>, name: string): string {
  const shown = isolated(sentence(name));
  return kind === 'key' ? USE.key(shown) : shown;
}

function listUses(title: string, lines: readonly string[]): RichTextSection[] {
  const elements: RichTextElement[] = lines.map((line) => text(`\n• ${line}`));
  return lines.length === 0 ? [] : [section(bold(title), ...elements)];
}

function describeUse(use: LimitUse): string {
  const { measure, used, limit } = use;
  const line = USE.line(limitFigure(measure, used), limitAmount(measure, limit));
  if (used >= limit) return USE.usedUp(line);
  return isNearlyUsedUp(use) ? USE.nearlyUsedUp(line) : line;
}
