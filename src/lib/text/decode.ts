/** How programs of Windows write what isn't Unicode. */
const NOT_UNICODE = 'windows-1252';

/**
 * Text in UTF-8, in UTF-16 with its mark, or else in the encoding that it's said to be in: much that is said to be in another
 * is UTF-8.
 *
 * @param declared null if nothing is said, or it isn't known
 */
export function decodeText(content: Uint8Array, declared: string | null): string {
  const utf16 = { fffe: 'utf-16le', feff: 'utf-16be' }[Buffer.from(content.subarray(0, 2)).toString('hex')];
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(content);
  const shifted = isShifted(content, declared) ? tryDecode(content, declared, { fatal: false }) : null;
  if (shifted !== null) return shifted;
  const found = tryDecode(content, 'utf-8', { fatal: true });
  const otherwise = () => (declared === null ? null : tryDecode(content, declared, { fatal: false }));
  return found ?? otherwise() ?? new TextDecoder(NOT_UNICODE).decode(content);
}

/** The same for HTML, which may say in itself what it's in. */
export function decodeHtml(content: Uint8Array, declared: string | null): string {
  const beginning = Buffer.from(content.subarray(0, 2_048)).toString('latin1');
  const [, own = null] = /<meta[^>]{0,200}?charset=["']?([\w-]+)/i.exec(beginning) ?? [];
  return decodeText(content, declared ?? own);
}

/** The encoding that a `Content-Type` names; null if it names none. */
export function readCharset(contentType: string): string | null {
  return /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1] ?? null;
}

/** Whether it's in an encoding that is all ASCII, with escapes to other letters: it would be UTF-8, too. */
function isShifted(content: Uint8Array, declared: string | null): declared is string {
  return declared !== null && /^iso-2022-/i.test(declared) && content.includes(0x1b);
}

/** Null if there's no such encoding, or with `fatal` if it's in another one. */
function tryDecode(content: Uint8Array, encoding: string, options: TextDecoderOptions): string | null {
  try {
    return new TextDecoder(encoding, options).decode(content);
  } catch {
    return null;
  }
}
