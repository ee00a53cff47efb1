/** A value that nobody may see, and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Replaces each secret in a text with `$NAME`. */
export type Mask = (text: string) => string;

/** Minimum length of a value that is masked, in characters. */
const SHORTEST = 8;
/** A shorter word or number, such as `production` or a port, is in too many texts to be taken for a secret. */
const SHORTEST_PLAIN = 16;
/** Minimum length of a part of a value, such as one of several keys, that is masked on its own, in characters. */
const SHORTEST_PART = 32;

/** Whether a value is too short or too plain to be masked: a short word or number, or hardly any different characters. */
export function isTooPlain(value: string): boolean {
  if (value.length < SHORTEST || new Set(value).size < 5) return true;
  return value.length < SHORTEST_PLAIN && /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+|\d+)$/.test(value);
}

/** Variables that hold a secret, by their names. A shell's `PWD` and `OLDPWD` are folders. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|PASSWD|_PWD|CREDENTIALS?)$/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * The secrets among these variables: by their names, and the passwords in addresses. What is too plain to be masked is
 * left out.
 */
export function listSecrets(variables: Iterable<readonly [name: string, value: string]>): readonly Secret[] {
  return [...variables]
    .flatMap(([name, value]) => [
      ...(isSecretName(name) ? [{ name, value }] : []),
      ...passwords(value).map((password) => ({ name, value: password })),
    ])
    .filter(({ value }) => !isTooPlain(value));
}

/** The password in an address, as it's written and as it's meant. */
function passwords(value: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  return password === '' ? [] : [...new Set([password, decoded(password)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A mask for texts from outside. It finds a secret as it is, JSON-escaped, URL-encoded, in hexadecimal digits, and in
 * base64 (also of the URL alphabet, also in the middle of a longer value), and the long parts of one: its lines, and each of several keys. It
 * doesn't find one that is encoded twice, compressed, split, or in base64 with line breaks. One pass, whatever the number of secrets.
 */
export function createMask(secrets: readonly Secret[]): Mask {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const shape of listShapes(value)) if (!names.has(shape)) names.set(shape, name);
  }
  if (names.size === 0) return (text) => text;
  // Longest first, so that a value which is part of another doesn't break that up.
  const shapes = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(shapes.map(escapePattern).join('|'), 'g');
  return (text) =>
    text.length < SHORTEST ? text : text.replace(pattern, (shape) => `$${names.get(shape) ?? ''}`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The forms in which a text may contain a value. */
function listShapes(value: string): readonly string[] {
  if (value.length < SHORTEST) return [];
  const lines = value.split(/[\r\n]+/).filter((line) => !line.startsWith('-----') && !isTooPlain(line));
  const parts = lines.flatMap((line) => line.split(/[,:]/)).filter((part) => part.length >= SHORTEST_PART);
  return [...new Set([value, ...lines, ...parts])].flatMap((part) => [
    part,
    ...jsonShapes(part),
    ...urlShapes(part),
    ...hexShapes(part),
    ...[0, 1, 2].flatMap((offset) => base64Core(Buffer.from(part), offset)),
  ]);
}

/** Some writers of JSON escape slashes. */
function jsonShapes(part: string): readonly string[] {
  const json = JSON.stringify(part).slice(1, -1);
  return [json, json.replaceAll('/', '\\/')];
}

/** Writers of addresses and of forms escape different characters, in digits of either case. */
function urlShapes(part: string): readonly string[] {
  const encoded = [
    encodeURIComponent(part.toWellFormed()),
    new URLSearchParams([['', part]]).toString().slice(1),
  ];
  return encoded.flatMap((shape) => [shape, shape.replace(/%../g, (escaped) => escaped.toLowerCase())]);
}

function hexShapes(part: string): readonly string[] {
  const hex = Buffer.from(part).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** The characters of base64 that only depend on these bytes, if `offset` others come before them, by threes. */
function base64Core(bytes: Buffer, offset: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const core = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
  return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}

/**
 * Masks all strings in a JSON value, keys too, in place. Without recursion: a server chooses how deep its messages are.
 */
export function maskDeep(value: object, mask: Mask): void {
  const left: object[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const key of Object.keys(next)) {
      const member: unknown = Reflect.get(next, key);
      const masked = typeof member === 'string' ? mask(member) : member;
      const name = Array.isArray(next) ? key : mask(key);
      if (name !== key) Reflect.deleteProperty(next, key);
      if (name !== key || masked !== member) Reflect.set(next, name, masked);
      if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
}
