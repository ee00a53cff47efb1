/** A regimen as far as a text gives it. */
export interface Regimen {
  readonly dose: number;
  /** Null: it must still be asked. */
  readonly unit: DoseUnit | null;
  readonly intervalHours: number;
  /** Null: as many as the model has. */
  readonly doses: number | null;
  /** In kilograms; null: as the model of the body has it. */
  readonly weight: number | null;
  /** How the model is loaded, where the text says it. */
  readonly route: 'oral' | 'iv_bolus' | 'iv_infusion' | null;
  /** How many people; null: one. */
  readonly subjects: number | null;
  /** What of the text is not understood; empty where all of it is. */
  readonly unclear: string;
}

type DoseUnit = 'mg' | 'g' | 'ug';

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)`;
const MASS = `(mg|milligrams?|g|grams?|ug|µg|μg|mcg|micrograms?)`;
// A letter of another alphabet is no border of a word to `\b`.
const SIMULATE = new RegExp(
  String.raw`^simulate\s+(?:a\s+dose\s+of\s+)?${NUMBER}\s*(?:${MASS}(?![\p{L}/]))?(.*)$`,
  'isu',
);
/** What stands between what counts. */
const FILLERS =
  /\b(?:a|an|and|as|for|in|of|the|to|with|who|weighs|weighing|body|weight|person|adult|patient|please|given)\b|[.,;!\s]+/gi;

/** Finds what `words` say in the text, and takes them out of it. */
function createReader(text: string) {
  let rest = text;
  return {
    read<T>(words: RegExp, toValue: (...groups: readonly string[]) => T): T | null {
      const found = words.exec(rest);
      if (!found) return null;
      rest = `${rest.slice(0, found.index)} ${rest.slice(found.index + found[0].length)}`;
      return toValue(...found.slice(1).map((group) => group ?? ''));
    },
    left: () => (rest.replace(FILLERS, '') === '' ? '' : rest.replace(/\s+/g, ' ').trim()),
  };
}

const TIMES_A_DAY: Readonly<Record<string, number>> = { once: 1, twice: 2, three: 3, four: 4 };

/** The regimen that a text asks to simulate: "simulate 500 mg twice a day for a 70 kg person"; null if it asks for none. */
export function parseRegimen(text: string): Regimen | null {
  const [, dose, unit, rest = ''] = SIMULATE.exec(text) ?? [];
  if (dose === undefined) return null;
  const { read, left } = createReader(rest);
  const often =
    read(/\b(once|twice|three times|four times) (?:a|per|each|every) day\b/i, toHours) ??
    read(/\b(once|twice|three times|four times) daily\b/i, toHours) ??
    read(/\bevery (\d+(?:\.\d+)?) ?h(?:ours?|rs?|r)?\b/i, toNumber) ??
    read(/\b(?:daily|every day)\b/i, () => 24);
  const intervalHours = often ?? 12;
  const doses =
    read(new RegExp(String.raw`\b${NUMBER} doses?\b`, 'i'), toNumber) ??
    read(/\b(?:for|over) (\d+) days?\b/i, (days) => Math.ceil((toNumber(days) * 24) / intervalHours));
  const weight =
    read(new RegExp(String.raw`\b${NUMBER}[ -]?kg\b(?!/)`, 'i'), toNumber) ??
    read(new RegExp(String.raw`\b${NUMBER}[ -]?(?:lbs?|pounds?)\b`, 'i'), toKilograms);
  const subjects = read(
    new RegExp(
      String.raw`(?:\ba population of )?\b${NUMBER} (?:people|persons|subjects|patients|adults)\b`,
      'i',
    ),
    toNumber,
  );
  const route =
    read(/\b(?:oral|orally|by mouth)\b/i, () => 'oral' as const) ??
    read(/\b(?:iv|intravenous(?:ly)?)(?: as an?)? bolus\b/i, () => 'iv_bolus' as const) ??
    read(/\b(?:iv|intravenous(?:ly)?)(?: as an)? infusion\b/i, () => 'iv_infusion' as const);
  return {
    ...{ dose: toNumber(dose), unit: readUnit(unit), intervalHours, doses, weight, route, subjects },
    unclear: left(),
  };
}

/** The unit of a dose that a text names; null where it names none, or several. */
export function findUnit(text: string): DoseUnit | null {
  const named = [...text.matchAll(new RegExp(String.raw`(?<!\p{L})${MASS}(?!\p{L})`, 'giu'))];
  const units = new Set(named.map(([, unit]) => readUnit(unit)));
  const [only = null] = units.size === 1 ? units : [];
  return only;
}

/** Another value that a text asks for, as in "make it 200 mg"; null where it names none, or several. */
export function findValue(text: string): { readonly value: number; readonly unit: string | null } | null {
  const named = [
    ...text.matchAll(new RegExp(String.raw`${NUMBER}\s*(${MASS}|kg|h|hours?|doses)?(?![\p{L}/\d])`, 'giu')),
  ];
  const [only] = named.length === 1 ? named : [];
  if (!only) return null;
  const [, value = '', unit] = only;
  return {
    value: toNumber(value),
    unit: readUnit(unit) ?? (unit?.startsWith('hour') ? 'h' : (unit ?? null)),
  };
}

function readUnit(unit: string | undefined): DoseUnit | null {
  const [first] = unit?.toLowerCase() ?? '';
  if (first === 'g') return 'g';
  if (unit !== undefined && /^(?:mg|milli)/i.test(unit)) return 'mg';
  return unit !== undefined && /^(?:[uµμ]g|m(?:cg|icro))/i.test(unit) ? 'ug' : null;
}

function toHours(often: string): number {
  const [first = ''] = often.toLowerCase().split(' ');
  return 24 / (TIMES_A_DAY[first] ?? 1);
}

function toNumber(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

/** The international pound is exactly this many kilograms. */
function toKilograms(pounds: string): number {
  return Number((toNumber(pounds) * 0.45359237).toFixed(2));
}
