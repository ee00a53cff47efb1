/** The tags in which reasoning models write their thoughts into the answer (DeepSeek R1, Qwen, and others). */
const TAGS = ['<think>', '<thinking>'];
const OPENING = /<think(?:ing)?>/g;
const CLOSING = /<\/think(?:ing)?>/g;
/** The longest closing tag, in characters. */
const LONGEST_CLOSING = '</thinking>'.length;
/** After one of these a tag is spoken of, and begins or ends nothing. */
const QUOTES = new Set(['`', "'", '"', '“', '‘']);

/**
 * Removes reasoning in tags from a text that comes in pieces. A tag may be cut between pieces; thoughts
 * without an end reach to the end of the text.
 */
export class ReasoningFilter {
  /** What may still turn out to be a tag, with the character before it. */
  #held = '';
  /** The last character that was let through. */
  #before = '';
  #isThinking = false;

  /** Returns what of the text so far can be shown and was not before. */
  add(text: string): string {
    this.#held += text;
    let shown = '';
    for (;;) {
      const tag = findTag(this.#isThinking ? CLOSING : OPENING, this.#held, this.#before);
      if (tag === null) break;
      if (!this.#isThinking) shown += this.#pass(tag.start);
      this.#held = this.#held.slice(this.#isThinking ? tag.end : tag.end - tag.start);
      this.#isThinking = !this.#isThinking;
    }
    if (this.#isThinking) {
      this.#held = this.#held.slice(-LONGEST_CLOSING);
      return shown;
    }
    return shown + this.#pass(this.#held.length - lengthOfPossibleTag(this.#held));
  }

  /** Returns what was held back, at the end of the text. */
  end(): string {
    return this.#isThinking ? '' : this.#pass(this.#held.length);
  }

  #pass(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#before = text.at(-1) ?? this.#before;
    return text;
  }
}

/**
 * A whole text without reasoning. Where a closing tag has no beginning, the model's template had written it
 * into the prompt: what comes before the tag is reasoning too, unless the tag stands in a code block.
 */
export function withoutReasoning(text: string): string {
  const filter = new ReasoningFilter();
  const shown = filter.add(text) + filter.end();
  let begin = 0;
  for (const stray of findTags(CLOSING, shown, '')) {
    if (isInCode(shown.slice(begin, stray.start))) break;
    begin = stray.end;
  }
  return shown.slice(begin);
}

function isInCode(before: string): boolean {
  return before.split('```').length % 2 === 0;
}

interface Tag {
  readonly start: number;
  readonly end: number;
}

function* findTags(tag: RegExp, text: string, before: string): Generator<Tag> {
  for (const { 0: found, index } of text.matchAll(tag)) {
    if (!QUOTES.has(text[index - 1] ?? before)) yield { start: index, end: index + found.length };
  }
}

function findTag(...where: Parameters<typeof findTags>): Tag | null {
  return findTags(...where).next().value ?? null;
}

function lengthOfPossibleTag(text: string): number {
  const start = text.lastIndexOf('<');
  const rest = start < 0 ? '' : text.slice(start);
  return rest !== '' && TAGS.some((tag) => tag !== rest && tag.startsWith(rest)) ? rest.length : 0;
}
