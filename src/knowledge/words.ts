/** Words that say nothing of what a text is about. */
const STOP_WORDS = new Set(
  'a about and are as at be by can do does for from has have how i in is it its me my of on or our say says than that the their they this to was we what when where which who why with you your'.split(
    ' ',
  ),
);
/** A query is a question, and no text to compare with. */
const MOST_WORDS = 32;

/** The words of a question by which passages are found; none where none says what it's about. */
export function queryWords(query: string): readonly string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
  return words.filter((word) => !STOP_WORDS.has(word)).slice(0, MOST_WORDS);
}
