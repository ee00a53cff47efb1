import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { spellBlanks } from './text/blanks.ts';
import { lineDiff } from './text/line-diff.ts';

/** The names of an old and a new text that belong together: `old_text` and `new_text`. */
export interface EditNames {
  readonly old: string;
  readonly now: string;
}

/** Finds two texts among the members that are the old and the new one of an edit; null where there aren't exactly two. */
export function findEdit(members: JsonObject): EditNames | null {
  const texts = Object.keys(members).filter((name) => typeof members[name] === 'string');
  const named = (first: string) => texts.filter((name) => splitName(name)[0]?.toLowerCase() === first);
  const [[old, ...moreOld], [now, ...moreNew]] = [named('old'), named('new')];
  if (old === undefined || now === undefined || moreOld.length + moreNew.length > 0) return null;
  return rest(old) === rest(now) ? { old, now } : null;
}

function rest(name: string): string {
  return splitName(name).slice(1).join(' ').toLowerCase();
}

/** Edits of texts, one after the other; null unless every item is nothing but an old and a new text of the same names. */
export function formatEdits(
  items: readonly Json[],
): { readonly words: string; readonly names: EditNames } | null {
  const edits = items.filter(isJsonObject);
  const names = findEdit(edits[0] ?? {});
  const areEdits =
    edits.length === items.length &&
    edits.every((edit) => Object.keys(edit).length === 2 && same(findEdit(edit), names));
  if (names === null || !areEdits) return null;
  const diffs = edits.map((edit) => formatEdit(edit, names));
  const words =
    diffs.length === 1 ? diffs.join('') : diffs.map((diff, at) => `@@ ${at + 1}\n${diff}`).join('\n');
  return { words, names };
}

function same(a: EditNames | null, b: EditNames | null): boolean {
  return a?.old === b?.old && a?.now === b?.now;
}

/** The old text and the new one, line by line. */
export function formatEdit(members: JsonObject, { old, now }: EditNames): string {
  return formatChange(textIn(members, old), textIn(members, now));
}

/** How a text becomes another, line by line. */
export function formatChange(old: string, now: string): string {
  return lineDiff(spellBlanks(old), spellBlanks(now));
}

/** Up to this length, in characters, an old and a new text of one line each stay apart. */
const SHORT_EDIT = 60;

/** Whether two texts are told apart better line by line. */
export function isLongEdit(old: string, now: string): boolean {
  return [old, now].some((text) => text.includes('\n') || text.length > SHORT_EDIT);
}

function textIn(members: JsonObject, name: string): string {
  const value = members[name];
  return typeof value === 'string' ? value : '';
}
