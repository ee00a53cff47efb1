import type { CallRecord, Progress } from '../../gate/types.ts';
import { clip } from '../../presentation/text/clip.ts';
import { plainTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { LIVE } from '../texts/messages.ts';

/** The longest progress line from a server, in characters. */
const LENGTH = 100;
/** Up to this many steps, progress shows the step's number; beyond, a percentage. */
const COUNTED = 20;

/**
 * How far a call is, after the tool's title if there is one: "Brew: boiling (3 of 7)"; empty where its server said nothing.
 * What a server says has no other signs than a title.
 */
export function describeProgress(
  { message, progress, total }: Pick<Progress, 'message' | 'progress' | 'total'>,
  title = '',
): string {
  const said = [title, message ?? ''].map((text) => visible(plainTitle(text)));
  const words = clip(said.filter((part) => part).join(': '), LENGTH).replace(/…$/, '');
  const share = describeShare(progress, total);
  if (share === '') return words;
  return words === '' ? share : `${words} (${share})`;
}

/** How far a running call is, as its server last said; empty where it said nothing. */
export function howFar({ state, progress }: CallRecord): string {
  return state === 'executing' && progress !== undefined ? describeProgress(progress) : '';
}

function describeShare(progress: number, total: number | null): string {
  if (total === null || total <= 0 || progress < 0) return '';
  const isCounted = Number.isInteger(progress) && Number.isInteger(total) && total <= COUNTED;
  if (isCounted && progress <= total) return LIVE.steps(progress, total);
  return `${Math.min(100, Math.floor((100 * progress) / total))} %`;
}
