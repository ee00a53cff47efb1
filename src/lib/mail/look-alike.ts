import { distance } from 'fastest-levenshtein';
import { addressKey, isForEverybody, organisation, readDomain } from './addresses.ts';

/**
 * Letters and the one of ASCII that each looks like, as far as addresses have them: of Cyrillic, Greek, Armenian and Latin, without
 * accents.
 * @see https://www.unicode.org/reports/tr39/#Confusable_Detection
 */
const LOOKS = new Map(
  `аa еe оo рp сc уy хx іi ѕs јj ԁd һh ԛq ԝw ѵv ьb кk мm тt нh вb гr пn
  αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ωw
  օo սu հh ոn ցg յj
  ıi ɩi łl øo đd ħh ŧt ɑa ɡg ʏy ƅb ƽs 0o 1l |l`
    .split(/\s+/)
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

/** Two letters that look like one. */
const PAIRS: readonly (readonly [two: RegExp, one: string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
];

/**
 * How many letters names have before one more, one less or another one makes them alike, or words beside them, as in
 * `example-support.com`; shorter ones are so by chance.
 */
const LONG_ENOUGH = { sameEnd: 5, otherEnd: 8, person: 8 };
/** The same among all whom somebody has written to: of so many, two are near each other sooner. */
const LONG_AMONG_MANY = { sameEnd: 7, otherEnd: 8 };
/** What a text looks like, in letters of ASCII: equal for texts that can be confused. */
type Skeleton = (text: string) => string;

/** Skeletons of which each is made once, as where everybody is compared with everybody. */
export function keepSkeletons(): Skeleton {
  const kept = new Map<string, string>();
  return (text) => {
    const found = kept.get(text) ?? toSkeleton(text);
    kept.set(text, found);
    return found;
  };
}

interface LookOptions {
  readonly skeleton?: Skeleton;
  /**
   * Whose the domains are: the owner's, of which a short one counts, too, where not everybody has an address; those of a conversation; or
   * those of all whom the owner has written to.
   */
  readonly of: 'owner' | 'conversation' | 'known';
}

/** The one of these domains that a domain looks like without being of the same organisation; null if there's none. */
export function findLookAlike(
  domain: string,
  trusted: readonly string[],
  { skeleton = keepSkeletons(), of }: LookOptions,
): string | null {
  if (isForEverybody(domain)) return null;
  const seen = readParts(domain, skeleton);
  const others = trusted.map((one) => organisation(one));
  if (others.includes(seen.own)) return null;
  const at = others.findIndex((own) => looksLike(seen, own, { skeleton, of }));
  return trusted[at] ?? null;
}

/** What domains are compared by. */
function readParts(domain: string, skeleton: Skeleton) {
  const own = organisation(domain);
  const [name = '', ...end] = own.split('.');
  return { domain, own, name, end: end.join('.'), seen: skeleton(name) };
}

/** Whether an address reads like another one at its domain, and is somebody else's. */
export function isLookAlikeOf(address: string, other: string, skeleton: Skeleton = keepSkeletons()): boolean {
  if (readDomain(address) !== readDomain(other) || addressKey(address) === addressKey(other)) return false;
  const [one, another] = [address, other].map((it) => skeleton(it.slice(0, it.lastIndexOf('@'))));
  return isAlike(one ?? '', another ?? '', LONG_ENOUGH.person);
}

/** Whether two people's names read alike, in any order of their words. One word alone many people have. */
export function isSameName(one: string, other: string): boolean {
  const [words, others] = [one, other].map((name) =>
    (toSkeleton(name).match(/[\p{L}\p{N}]+/gu) ?? []).toSorted(),
  );
  return words !== undefined && words.length > 1 && words.join(' ') === others?.join(' ');
}

function looksLike(
  { domain, name, end, seen }: ReturnType<typeof readParts>,
  own: string,
  { skeleton, of }: Required<LookOptions>,
): boolean {
  const { name: ownName, end: ownEnd, seen: ownSeen } = readParts(own, skeleton);
  // .com and .co, not .de and .se: one company has many of those.
  if (name === ownName && distance(end, ownEnd) === 1 && end.length + ownEnd.length > 4) return true;
  const isSameEnd = end === ownEnd;
  const lengths = of === 'known' ? LONG_AMONG_MANY : LONG_ENOUGH;
  const long = isSameEnd ? lengths.sameEnd : lengths.otherEnd;
  if (name !== ownName && isAlike(seen, ownSeen, long)) return true;
  if (domain.length <= own.length) return false;
  // example.com.elsewhere.test, example-com.test: the whole of it, with something else behind it.
  const toParts = (text: string) => `.${skeleton(text).replace(/-/g, '.')}.`;
  if (toParts(domain).slice(0, -1).includes(toParts(own))) return true;
  if (name.length <= ownName.length) return false;
  // examplecom.test, wwwexample.com
  const isJoined = () => [own.replaceAll('.', ''), `www${ownName}`].map(skeleton).includes(seen);
  if (ownName.length >= lengths.sameEnd && isJoined()) return true;
  const isAnyLength = of === 'owner' && isSameEnd && !isForEverybody(own);
  return (isAnyLength || ownName.length >= long) && `-${seen}-`.includes(`-${ownSeen}-`);
}

/** Whether two skeletons are the same, or nearly so and long enough for that not to be chance. */
function isAlike(seen: string, otherSeen: string, longEnough: number): boolean {
  if (seen === otherSeen) return true;
  if (Math.min(seen.length, otherSeen.length) < longEnough) return false;
  if (Math.abs(seen.length - otherSeen.length) > 1) return false;
  return distance(seen, otherSeen) <= 1 || (seen.length === otherSeen.length && isSwapped(seen, otherSeen));
}

/** Whether two neighbouring letters have changed places. */
function isSwapped(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  const swapped = `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}`;
  return at >= 0 && swapped === other;
}

function toSkeleton(text: string): string {
  const plain = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  const letters = [...plain].map((letter) => LOOKS.get(letter) ?? letter).join('');
  return PAIRS.reduce((seen, [two, one]) => seen.replace(two, one), letters);
}
