/** The JSON object in a model's answer, whatever stands around it; undefined where there is none. */
export function readAnswerObject(answer: string): unknown {
  try {
    return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

/** A text on one line, without what nobody sees, and with at most so many characters. */
export function toLine(text: string, longest: number): string {
  return text
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed();
}
