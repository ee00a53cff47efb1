import type { Json, JsonObject } from '../../lib/json.ts';
import { splitName } from '../../lib/readable-name.ts';

/** Last words of names that hold an amount of money, where a currency stands beside them. */
const AMOUNTS = new Set(
  'amount price total subtotal fee cost balance tip tax budget salary deposit refund payment charge'.split(
    ' ',
  ),
);
/** Last words that say that the amount is in hundredths. */
const HUNDREDTHS = new Set(['cents', 'pence']);

/** An amount of money for people, exactly; null where the number is none, or has an exponent. */
export function formatMoney(name: string, amount: number | string, beside: string | null): string | null {
  const { words, currency } = readName(name, beside);
  const last = words.at(-1) ?? '';
  const digits = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(String(amount));
  if (currency === null || digits === null) return null;
  const [, sign = '', whole = '', fraction = ''] = digits;
  if (HUNDREDTHS.has(last) && words.length > 1 && fraction === '' && hasHundredths(currency)) {
    const padded = whole.padStart(3, '0');
    return `${sign}${grouped(padded.slice(0, -2))}.${padded.slice(-2)} ${currency} (${amount} ${last})`;
  }
  if (!AMOUNTS.has(last)) return null;
  // A whole number could be in cents, as some services want it: nothing is added to it.
  const rest = fraction === '' ? '' : `.${fraction.padEnd(2, '0')}`;
  return `${sign}${grouped(whole)}${rest} ${currency}`;
}

/** `price_eur` names its own currency: only behind the name of an amount, since codes are words, too (`count_all`). */
function readName(name: string, beside: string | null) {
  const words = splitName(name).map((word) => word.toLowerCase());
  const code = words.at(-1)?.toUpperCase() ?? '';
  const isOwn = CURRENCIES.has(code) && AMOUNTS.has(words.at(-2) ?? '');
  return isOwn ? { words: words.slice(0, -1), currency: code } : { words, currency: beside };
}

function hasHundredths(currency: string): boolean {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return maximumFractionDigits === 2;
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A currency that is named beside amounts. */
interface NamedCurrency {
  /** The only member that names it; null where several agree. */
  readonly name: string | null;
  /** As it is sent. */
  readonly code: string;
}

/** The currency that these members name; null without one that is known, or with two. */
export function findCurrency(members: JsonObject): NamedCurrency | null {
  const [first, ...others] = namesOfCurrency(members);
  const code = first === undefined ? undefined : members[first];
  if (first === undefined || others.some((other) => members[other] !== code)) return null;
  if (typeof code !== 'string' || !CURRENCIES.has(code.toUpperCase())) return null;
  return { name: others.length === 0 ? first : null, code };
}

/** `currency`, `CurrencyCode`, `amount_currency`. */
function namesOfCurrency(members: JsonObject): string[] {
  return Object.keys(members).filter((name) => {
    const words = splitName(name).map((word) => word.toLowerCase());
    const ofAmount = AMOUNTS.has(words[0] ?? '') ? words.slice(1) : words;
    return ['currency', 'currencycode'].includes(ofAmount.join(''));
  });
}

/**
 * A member of an object as money: `{ "value": 5, "currency": "EUR" }`. Without a currency of its own, that of its
 * arguments counts (`outer`). Null where it is none.
 */
export function describeMoney(name: string, members: JsonObject, outer: string | null): string | null {
  const value: Json | undefined = Object.hasOwn(members, name) ? members[name] : undefined;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const hasOwn = namesOfCurrency(members).length > 0;
  const currency = hasOwn ? (findCurrency(members)?.code ?? null) : outer;
  return formatMoney(hasOwn && name.toLowerCase() === 'value' ? 'amount' : name, value, currency);
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
