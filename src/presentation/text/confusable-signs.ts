/** Slashes, dots, at signs and colons that look like the plain ones. */
const SLASHES_AND_ATS = '\u2044\u2215\u29F8\uFF0F\uFE6B\uFF20';
const DOTS_AND_COLONS = '\u2024\uFE52\uFF0E\u3002\uFF61\u2236\uA789\uFE55';
const HYPHENS = '\u2010\u2011\u2212\uFE63\uFF0D';
/** The characters that may be beside a sign in an address or path. */
const BESIDE = `\\w~%.:/@\\\\\\-${SLASHES_AND_ATS}${DOTS_AND_COLONS}${HYPHENS}`;

/** A dot or colon is followed by something in an address, but not at the end of a sentence. */
const SIGN = new RegExp(
  `(?<=^|[${BESIDE}])[${SLASHES_AND_ATS}]|(?<=[${BESIDE}])[${DOTS_AND_COLONS}](?=[${BESIDE}])|(?<=\\w)\uFF1A(?=[/${SLASHES_AND_ATS}])`,
  'gu',
);
/** A fraction or a ratio: `1⁄2`, `3∶1`. */
const RATIO = /^\d+[\u2044\u2215\u2236]\d+$/;
const HYPHEN = new RegExp(`[${HYPHENS}](?=[\\w${HYPHENS}-])`, 'gu');
/** An option of a command: `‐rf`, `−−force`. A number may well have that sign. */
const OPTION = new RegExp(`^[${HYPHENS}-]+[A-Za-z]`, 'u');
/** An address, with plain signs or lookalikes. */
const ADDRESS = new RegExp(`\\w[.@:/\\\\=${SLASHES_AND_ATS}${DOTS_AND_COLONS}]+\\w`, 'u');

/** Has a dot or an at sign inside, or is a path; words with one slash between them may be just that. */
const NAME_OR_PATH = /[\wıȷ][.@][\wıȷ]|^[~.]{0,2}\/|\/.*\/|\\/u;
/** A word that is plain except for an i or j without its dot. */
const DOTLESS_WORD = /(?<![\p{L}\p{M}])[A-Za-zıȷ]+(?![\p{L}\p{M}])/gu;
const DOTLESS = /[ıȷ]/gu;

/** Marks drawn over the letter before them: `a̶`. Over a sign they form another one: `≠`. */
const OVERLAY = /(?<!\p{S})[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E5\u20E6\u20EA\u20EB]/gu;
/** Plain digits in another font's shape. */
const RESHAPED_DIGIT = /[\u{1D7CE}-\u{1D7FF}\u{1FBF0}-\u{1FBF9}]/gu;
const NUMBER = /\p{Nd}(?:[.,:/_-]?\p{Nd})*/gu;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/** A run without blanks; an escape of ours isn't part of it. */
const TOKEN = /[^\s"⟨⟩]+/gu;
const PLAIN = /^[ -~]*$/;
const ESCAPE = /⟨U\+[0-9A-F]+⟩/g;
const OTHER_LETTER = /(?!\p{Script=Latin})\p{L}/u;

/**
 * The positions of signs and digits that imitate plain ones, in what looks like an address, a path, an option
 * or a number. Among letters of another script they belong to that script, and aren't listed.
 */
export function signPlaces(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  const note = (found: Iterable<RegExpExecArray>, from = 0) => {
    for (const { index } of found) places.add(from + index);
  };
  const whole = text.trim();
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (!PLAIN.test(token))
      noteToken(token, { isWhole: token === whole }, (found, from = 0) => note(found, index + from));
  }
  note(text.matchAll(OVERLAY));
  note(text.matchAll(RESHAPED_DIGIT));
  const isLatin = !OTHER_LETTER.test(text) && /[A-Za-z]/.test(text.replace(ESCAPE, ''));
  for (const { 0: number, index } of text.matchAll(NUMBER)) {
    const isPlain = /[0-9]/.test(number) || isBesideLetter(text, index, index + number.length);
    if (isLatin || isPlain) note(number.matchAll(OTHER_DIGIT), index);
  }
  return places;
}

type Note = (found: Iterable<RegExpExecArray>, from?: number) => void;

function noteToken(token: string, { isWhole }: { readonly isWhole: boolean }, note: Note): void {
  if (NAME_OR_PATH.test(token)) {
    for (const { 0: word, index } of token.matchAll(DOTLESS_WORD)) note(word.matchAll(DOTLESS), index);
  }
  // `iOS／Android対応`: full-width signs belong with such letters, unless it is an address anyway.
  const isForeign = OTHER_LETTER.test(token) && !/\w[.@:/\\][\w/]/.test(token);
  if (isForeign || !/[A-Za-z0-9]/.test(token)) return;
  if (!RATIO.test(token)) note(token.matchAll(SIGN));
  // A one-word text is more often a name than prose, where well‑known may have such a hyphen.
  const isName = ADDRESS.test(token) || OPTION.test(token) || (isWhole && /[A-Za-z]/.test(token));
  if (isName) note(token.matchAll(HYPHEN));
}

/** Whether a plain letter is in the same name as the text between these positions. */
function isBesideLetter(text: string, start: number, end: number): boolean {
  return (
    /[A-Za-z][.,:/_-]?$/.test(text.slice(Math.max(0, start - 2), start)) ||
    /^[.,:/_-]?[A-Za-z]/.test(text.slice(end, end + 2))
  );
}
