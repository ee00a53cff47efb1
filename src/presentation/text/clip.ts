export const ELLIPSIS = '…';

/** The text cut to `limit` UTF-16 units, as Slack counts; a cut text ends in an ellipsis. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${head(text, limit - ELLIPSIS.length)}${ELLIPSIS}`;
}

/** As {@link clip}, with the cut in the middle: of an address, both who and the end of the domain, which says whose it is, stay. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const before = Math.floor((limit - ELLIPSIS.length) / 2);
  const end = text.slice(text.length - (limit - ELLIPSIS.length - before));
  return `${head(text, before)}${ELLIPSIS}${isLowSurrogate(end.charCodeAt(0)) ? end.slice(1) : end}`;
}

/** The first `length` UTF-16 units of the text, without splitting a surrogate pair. */
export function head(text: string, length: number): string {
  const end = Math.max(0, length);
  const splits = isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length;
  return text.slice(0, splits ? end - 1 : end);
}

/** Where the line begins that has this place in it, or a word at most `limit` UTF-16 units before that. */
export function startBefore(text: string, at: number, limit: number): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  if (at - line <= limit) return line;
  const blank = text.indexOf(' ', at - limit);
  if (blank !== -1 && blank < at) return blank + 1;
  return isLowSurrogate(text.charCodeAt(at - limit)) ? at - limit + 1 : at - limit;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The text split into pieces of at most `size` UTF-16 units, after a line feed where one is near. */
export function pieces(text: string, size: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > size) {
    const line = rest.lastIndexOf('\n', size - 1) + 1;
    const part = line > size / 2 ? rest.slice(0, line) : head(rest, size);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
}

/** The text on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

/** A text in quotes, such that it can't imitate its own end and words of ours after it. */
export function quoteText(text: string, marks: readonly [string, string] = ['“', '”']): string {
  const isOurs = [...marks, '"', '(', ')'].some((mark) => text.includes(mark));
  return isOurs ? JSON.stringify(text) : marks.join(text);
}

/** As {@link clip}, for sentences: cuts before a word, or before a sentence where one starts nearby. */
export function clipAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const fits = head(text, limit - ' …'.length);
  const sentences = /^.*[.!?](?= )/s.exec(fits)?.[0] ?? '';
  if (sentences.length > limit / 2) return `${sentences} …`;
  const words = /^.*\S(?= )/s.exec(fits)?.[0] ?? '';
  return words.length > limit / 2 ? `${words} …` : clip(text, limit);
}
