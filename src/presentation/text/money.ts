import type { JsonObject } from '../../lib/json.ts';
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
export function formatMoney(name: string, amount: number, beside: string | null): string | null {
  const { words, currency } = readName(name, beside);
  const last = words.at(-1) ?? '';
  const digits = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
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

/** The currency that the arguments themselves name, as it is sent; null without one that is known, or with two. */
export function findCurrency(args: JsonObject): string | null {
  const named = Object.entries(args).flatMap(([name, value]) =>
    /^currency(?:_?code)?$/i.test(name) ? [value] : [],
  );
  const [value, ...others] = named;
  if (others.some((other) => other !== value)) return null;
  return typeof value === 'string' && CURRENCIES.has(value.toUpperCase()) ? value : null;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
