/** Characters that show nothing but reach the model: zero-width, bidi, tags, controls except line breaks. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?![\n\t])\p{Cc}/gu;

export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/** The same characters written out, as `⟨U+202E⟩`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const number = character.codePointAt(0) ?? 0;
    return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
