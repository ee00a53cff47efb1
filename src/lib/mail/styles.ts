/** Declarations of CSS by their names; all in lower case. */
export type Styles = ReadonlyMap<string, string>;

/** Most rules of a mail's style sheets that are looked at, and most characters of them. */
const MOST_RULES = 2_000;
const LONGEST_SHEET = 200_000;
/** Most classes of an element that are looked at. */
const MOST_CLASSES = 20;
/** Attributes of HTML that say what a style does. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  color: 'color',
  text: 'color',
  bgcolor: 'background-color',
};

/** What an element's own attributes say, above what rules do. */
export function stylesFrom(attributes: Readonly<Record<string, string>>, rules: readonly Styles[]): Styles {
  const styles = new Map<string, string>();
  for (const [attribute, name] of Object.entries(ATTRIBUTES)) {
    const value = attributes[attribute];
    if (value !== undefined) styles.set(name, value.toLowerCase());
  }
  for (const rule of [...rules, readDeclarations(attributes.style ?? '')]) {
    for (const [name, value] of rule) styles.set(name, value);
  }
  return styles;
}

/**
 * The rules of a mail's style sheets for single elements, classes and ids: what mails have that hide something. Rules within others, such
 * as those for small screens, don't count.
 */
export class StyleSheet {
  readonly #rules = new Map<string, Map<string, string>>();
  #count = 0;
  #pending = '';

  /** A piece of a sheet, in order. */
  add(text: string): void {
    if (this.#pending.length + text.length <= LONGEST_SHEET) this.#pending += text;
  }

  rulesFor(name: string, { class: classes = '', id = '' }: Readonly<Record<string, string>>): Styles[] {
    if (this.#pending !== '') this.#read();
    if (this.#rules.size === 0) return [];
    const marks = classes.split(/\s+/, MOST_CLASSES).map((one) => `.${one}`);
    const selectors = [name, '*', ...[...marks, `#${id}`].flatMap((mark) => [mark, `${name}${mark}`])];
    return selectors.flatMap((selector) => this.#rules.get(selector) ?? []);
  }

  #read(): void {
    const text = withoutComments(this.#pending);
    this.#pending = '';
    let depth = 0;
    let begin = 0;
    let selectors = '';
    for (let at = 0; at < text.length && this.#count < MOST_RULES; at += 1) {
      const character = text[at];
      if (character === '{') {
        if (depth === 0) selectors = text.slice(begin, at);
        depth += 1;
        if (depth === 1) begin = at + 1;
      } else if (character === '}' && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        if (!selectors.trimStart().startsWith('@')) this.#keep(selectors, text.slice(begin, at));
        begin = at + 1;
      }
    }
  }

  #keep(selectors: string, declarations: string): void {
    const styles = readDeclarations(declarations);
    for (const selector of selectors.split(',')) {
      const plain = selector.trim();
      if (!/^(?:[\w-]*[.#])?[\w-]+$|^\*$/.test(plain)) continue;
      this.#count += 1;
      const rules = this.#rules.get(plain) ?? new Map<string, string>();
      for (const [name, value] of styles) rules.set(name, value);
      this.#rules.set(plain, rules);
    }
  }
}

function readDeclarations(text: string): Styles {
  const styles = new Map<string, string>();
  for (const declaration of withoutComments(text).split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).replace(/!\s*important/i, '');
    styles.set(declaration.slice(0, colon).trim().toLowerCase(), value.trim().toLowerCase());
  }
  return styles;
}

/** Without comments, nor escapes, by which a name can be written so that only browsers read it. */
function withoutComments(text: string): string {
  const parts = text.split('/*');
  const [first = '', ...others] = parts;
  const rest = others.map((part) => (part.includes('*/') ? part.slice(part.indexOf('*/') + 2) : ''));
  return [first, ...rest].join('').replace(/\\([\da-f]{1,6})\s?/gi, (_escape, code: string) => {
    const number = Number.parseInt(code, 16);
    return number > 0 && number < 0x80 ? String.fromCharCode(number) : '';
  });
}
