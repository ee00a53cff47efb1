import { fromBufferPromise } from 'yauzl';
import { Unreadable } from './reader.ts';

/** The most that all files of one archive unpack to, and how many there may be. */
const UNPACKED_BYTES = 200 * 1024 * 1024;
const MOST_ENTRIES = 20_000;

/** Microsoft's format from before; newer programs still keep in it what has a password. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Unpacks an archive, counting what really comes out of it, whatever its headers say: libraries that are given it afterwards
 * trust them. Keeps only files whose names `isKept` accepts.
 *
 * @throws Unreadable if it's too much, or encrypted; other errors if it's broken.
 */
export async function unpack(
  content: Buffer,
  isKept: (name: string) => boolean = () => false,
): Promise<Map<string, Buffer>> {
  if (content.indexOf(COMPOUND_FILE) === 0) {
    throw new Unreadable(content.includes(ENCRYPTED_PACKAGE) ? 'encrypted' : 'broken');
  }
  const archive = await fromBufferPromise(content, { lazyEntries: true, validateEntrySizes: false });
  const kept = new Map<string, Buffer>();
  let [entries, unpacked, declared] = [0, 0, 0];
  for await (const entry of archive.eachEntry()) {
    entries += 1;
    // Some make room for as much as the headers say.
    declared += entry.uncompressedSize;
    if (entries > MOST_ENTRIES || declared > UNPACKED_BYTES) throw new Unreadable('too_much');
    if (entry.isEncrypted()) throw new Unreadable('encrypted');
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) {
      unpacked += part.length;
      if (unpacked > UNPACKED_BYTES) throw new Unreadable('too_much');
      if (isKept(entry.fileName)) parts.push(part);
    }
    if (isKept(entry.fileName)) kept.set(entry.fileName, Buffer.concat(parts));
  }
  return kept;
}
