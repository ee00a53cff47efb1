import type { HtmlVisibility } from '../text/html.ts';
import { StyleSheet, type Styles, stylesFrom } from './styles.ts';

type Color = readonly [red: number, green: number, blue: number];

/** What an element's text looks like. A color is null if it isn't known, as over a picture. */
interface Look {
  readonly color: Color | null;
  readonly background: Color | null;
  /** In pixels. */
  readonly size: number;
  readonly isQuote: boolean;
}

/** Mails are shown in black on white. */
const PAGE: Look = { color: [0, 0, 0], background: [255, 255, 255], size: 16, isQuote: false };
/** Smaller letters are not read. */
const SMALLEST = 4;
/** How far two colors are apart for one to be seen on the other, of 255. */
const TOLD_APART = 24;
const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, rem: 16, '': 1 };
const NAMED: Readonly<Record<string, Color>> = {
  white: [255, 255, 255],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  whitesmoke: [245, 245, 245],
  black: [0, 0, 0],
};

/** How mail programs mark what they quote: by a class, an id, or the type of a block. */
const QUOTES =
  /(?:^|\s)(?:gmail_quote|gmail_quote_container|yahoo_quoted|protonmail_quote|moz-cite-prefix)(?:\s|$)/;

/**
 * What people see of a mail's HTML: not what has the color of what is behind it, is too small to be read, cut off or moved away, by
 * attributes or by simple rules of its own style sheets. Besides, either what it quotes, or all else.
 */
export class MailVisibility implements HtmlVisibility {
  readonly #sheet = new StyleSheet();
  readonly #looks: Look[] = [PAGE];
  readonly #wantsQuotes: boolean;
  #isSheet = false;

  constructor({ quotes }: { readonly quotes: boolean }) {
    this.#wantsQuotes = quotes;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): boolean {
    this.#isSheet = name === 'style';
    const styles = stylesFrom(attributes, this.#sheet.rulesFor(name, attributes));
    const look = this.#looks.at(-1) ?? PAGE;
    this.#looks.push(readLook(styles, look, isQuote(name, attributes)));
    return !isGone(styles);
  }

  shows(text: string): boolean {
    if (this.#isSheet) this.#sheet.add(text);
    const { color, background, size, isQuote } = this.#looks.at(-1) ?? PAGE;
    if (isQuote !== this.#wantsQuotes || size < SMALLEST) return false;
    return color === null || background === null || isToldApart(color, background);
  }

  close(): void {
    this.#isSheet = false;
    this.#looks.pop();
  }
}

function isQuote(name: string, { class: classes = '', type, id }: Readonly<Record<string, string>>): boolean {
  return (
    QUOTES.test(classes) ||
    id === 'mail-editor-reference-message-container' ||
    (name === 'blockquote' && type === 'cite')
  );
}

function readLook(styles: Styles, from: Look, startsQuote: boolean): Look {
  const background = styles.get('background-color') ?? styles.get('background');
  return {
    color: readColor(styles.get('color'), from.color),
    background: styles.get('background-image')?.includes('url')
      ? null
      : readColor(background, from.background),
    size: readSize(styles, from.size),
    isQuote: from.isQuote || startsQuote,
  };
}

/** Whether it isn't drawn, whatever is in it says. */
function isGone(styles: Styles): boolean {
  const is = (name: string, value: RegExp) => value.test(styles.get(name) ?? '');
  const isNothing = (name: string) => is(name, /^0(?:\.0*)?(?:px|em|pt|%)?$/);
  if (is('display', /^none/) || is('visibility', /^(?:hidden|collapse)/) || is('opacity', /^0?\.?0\d*%?$/))
    return true;
  if (is('clip', /^rect\(\s*0/) || is('clip-path', /^inset\(\s*(?:50|100)%/)) return true;
  if (['text-indent', 'left', 'top', 'margin-left'].some((name) => is(name, /^-\d{3,}/))) return true;
  const isCut = is('overflow', /^hidden/);
  return isCut && ['height', 'width', 'max-height', 'max-width'].some(isNothing);
}

function readSize(styles: Styles, inherited: number): number {
  const shorthand = /(?:^|\s)[\d.]+(?:px|pt|r?em|%)?(?=[\s/])/.exec(styles.get('font') ?? '')?.[0];
  const [, number = '', unit = ''] =
    /^([\d.]{1,10})(px|pt|rem|em|%|)$/.exec((styles.get('font-size') ?? shorthand ?? '').trim()) ?? [];
  const size = Number.parseFloat(number);
  if (Number.isNaN(size)) return inherited;
  if (unit === 'em') return size * inherited;
  return unit === '%' ? (size / 100) * inherited : size * (PIXELS[unit] ?? 1);
}

/** The color of a value; that from around if it says none, null if it isn't known. */
function readColor(value: string | undefined, inherited: Color | null): Color | null {
  if (value === undefined || value === '' || /^(?:inherit|initial|unset|none|currentcolor)/.test(value))
    return inherited;
  if (/url\(|gradient\(/.test(value)) return null;
  if (/\btransparent\b|^rgba\([^)]*,\s*0(?:\.0*)?\s*\)/.test(value)) return inherited;
  const [, hex = ''] = /#([\da-f]{3,8})\b/.exec(value) ?? [];
  if (hex !== '') return fromHex(hex);
  const channels = /rgba?\(([^)]*)\)/
    .exec(value)?.[1]
    ?.match(/\d+(?:\.\d+)?/g)
    ?.map(Number);
  const [red, green, blue] = channels ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined) return [red, green, blue];
  return NAMED[/^[a-z]+/.exec(value)?.[0] ?? ''] ?? null;
}

function fromHex(hex: string): Color | null {
  const long = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex;
  const channel = (at: number) => Number.parseInt(long.slice(at, at + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

function isToldApart(one: Color, other: Color): boolean {
  return one.some((channel, at) => Math.abs(channel - (other[at] ?? 0)) >= TOLD_APART);
}
