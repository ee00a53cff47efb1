import { diffArrays } from 'diff';

/** How different texts may be to be compared, in lines: further apart, all of the old stands before all of the new. */
const MOST_CHANGES = 300;

/**
 * How one text becomes the other, line by line: `- ` before a line that goes, `+ ` before one that comes, two blanks
 * before one that stays. Nothing is left out, so both texts can be read from it. An empty text has no lines.
 */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [lines(before), lines(after)];
  const parts = diffArrays(old, now, { maxEditLength: MOST_CHANGES }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return parts
    .flatMap(({ value, added, removed }) =>
      value.map((line) => `${added ? '+' : removed ? '-' : ' '} ${line}`),
    )
    .join('\n');
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
