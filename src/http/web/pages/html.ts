/** Markup that may be sent as it stands. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/** A template whose values are escaped, but for markup that was made like this; null is nothing, a list its items. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  return new Html(strings.map((text, index) => `${text}${markupOf(values[index] ?? null)}`).join(''));
}

function markupOf(value: HtmlPart): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(markupOf).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
