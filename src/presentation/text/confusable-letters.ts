/** A run without blanks: a word, an address, a path, an amount. */
const TOKEN = /\S+/gu;
const PLAIN = /^[ -~]*$/;
const ESCAPE = /⟨U\+[0-9A-F]+⟩/g;
const RUN = /[\p{L}\p{M}\p{Nl}]+/gu;
/** Latin letters. Unicode gives mathematical letters and Roman numerals no script, or Latin. */
const LATIN = /[\p{Script=Latin}\u{1D400}-\u{1D6A5}]/u;
const ASCII_LETTER = /[A-Za-z]/;

/** Letters of scripts that look like Latin, and the few from others that are drawn as an o or a y. */
const LOOKALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Osage}\p{Script=Deseret}\p{Script=Canadian_Aboriginal}\p{Script=Tifinagh}\p{Script=Old_Italic}\p{Script=Gothic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Warang_Citi}\p{Script=Miao}\u05E1\u0647\u101D\u0B20\u0D20\u10E7\u10FF\u12D0]/gu;
/** Symbols of quantities, used before or after one letter: `μs`, `Δt`, `kΩ`. */
const QUANTITY = /[βγδεζηθλμξπστφψωΓΔΘΛΞΠΣΦΨΩ\u2126]/u;
/** Letters that alone can spell words nobody can tell from Latin ones: `аррӏе`, `ᎪᏢᏢᏞᎬ`. */
const DISGUISE =
  /^[аеорсухіјѕԁһӏԛԝүѵьЬАВЕКМНОРСТХІЈЅҮУԌӀԀԚԜҺѴαγινορσυϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺͿօոսհցզքՕՍՏԼԶⲟⲣⲥⲭⲤⲞⲢⲦⲔⲘⲎⲂⲬⲚⲒᗅᗷᑕᗞᗪᖴᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯ᙭ᑯᑲᑊ\u05E1\u0647\u101D\u0B20\u0D20\u10E7\u10FF\u12D0\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Osage}\p{Script=Deseret}\p{Script=Old_Italic}\p{Script=Gothic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Warang_Citi}]+$/u;

/**
 * Latin letters in another shape: long s, phonetic, small capitals, Roman numerals, full-width, mathematical.
 */
const RESHAPED =
  /[\u017F\u0184\u0185\u0196\u01A6-\u01A8\u01BC\u01BD\u01BF\u01C0\u021C\u021D\u0222\u0223\u0250-\u02AF\u1D00-\u1DBF\u2100-\u2188\uA730\uA731\uA7AE\uA7FA\uAB30-\uAB64\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7FF}]/gu;
/** Names of hosts, mailboxes, files: a dot or an at sign between letters, or a path. */
const NAME = /\p{L}[.@。．｡․＠][\p{L}\p{N}]|\p{N}[.@。．｡․＠]\p{L}|^[~.]{0,2}\/|\/.*\/|\\/u;

/** Characters drawn as a 0, 1 or 3, or as another digit in all fonts. */
const ZEROES = 'ОоΟοՕօⲞⲟꓳ\u05E1\u0647\u101D\u0B20\u0D20\u10FF\u12D0\u{10404}\u{1042C}\u{104C2}\u{104EA}';
const DIGIT_LIKE = `${ZEROES}ІіӀӏΙꓲЗӠƷȜƧƨƼƽȢȣᏎᏮ\uFF2F\uFF4F\u2160\u217C`;
const AMOUNT = new RegExp(`[0-9${DIGIT_LIKE}]+(?:[.,:/_-][0-9${DIGIT_LIKE}]+)*`, 'gu');
const LETTER_AT_END = /[\p{L}\p{M}]$/u;
const LETTER_AT_START = /^[\p{L}\p{M}]/u;
const AMID_DIGITS = new RegExp(`(?<=[0-9])[${DIGIT_LIKE}]+(?=[0-9])`, 'gu');
const DIGIT_LIKE_LETTER = new RegExp(`[${DIGIT_LIKE}]`, 'gu');

/**
 * The positions of lookalike letters: beside Latin letters in one run, in a name or address with Latin
 * letters, or in a number. Words that are all in one script, in texts of that script, have none.
 */
export function letterPlaces(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (PLAIN.test(token)) continue;
    for (const place of placesInToken(token)) places.add(index + place);
  }
  return places;
}

function placesInToken(token: string): readonly number[] {
  const bare = token.replace(ESCAPE, ' ');
  const hasLatin = LATIN.test(bare);
  const isPlainName = ASCII_LETTER.test(bare) && NAME.test(bare);
  const inRuns = Array.from(token.matchAll(RUN)).flatMap(({ 0: run, index }) => {
    if (PLAIN.test(run)) return [];
    const found = [...(hasLatin ? foreign(run, { isPlainName }) : []), ...reshaped(run, { isPlainName })];
    return found.map((place) => index + place);
  });
  return [...inRuns, ...inNumbers(token)];
}

function foreign(run: string, { isPlainName }: { readonly isPlainName: boolean }): readonly number[] {
  if (!LATIN.test(run))
    return DISGUISE.test(run.replace(RESHAPED, '')) ? Array.from(run.matchAll(/./gu), matchIndex) : [];
  const maybeQuantity = !isPlainName && Array.from(run).length < 3;
  const found = Array.from(run.matchAll(LOOKALIKE));
  return found.filter(([letter]) => !(maybeQuantity && QUANTITY.test(letter))).map(matchIndex);
}

function reshaped(run: string, { isPlainName }: { readonly isPlainName: boolean }): readonly number[] {
  // `mℓ` and `tʃ` are not disguises.
  const isWord = Array.from(run).length > 2 && ASCII_LETTER.test(run);
  return isWord || isPlainName ? Array.from(run.matchAll(RESHAPED), matchIndex) : [];
}

function inNumbers(token: string): readonly number[] {
  const amounts = Array.from(token.matchAll(AMOUNT)).filter(({ 0: amount, index }) => {
    const end = index + amount.length;
    const beside = [token.slice(Math.max(0, index - 2), index), token.slice(end, end + 2)] as const;
    return /[0-9]/.test(amount) && !LETTER_AT_END.test(beside[0]) && !LETTER_AT_START.test(beside[1]);
  });
  return [...amounts, ...token.matchAll(AMID_DIGITS)].flatMap(({ 0: amount, index }) =>
    Array.from(amount.matchAll(DIGIT_LIKE_LETTER), (found) => index + found.index),
  );
}

function matchIndex({ index }: RegExpExecArray): number {
  return index;
}
