import { inflateSync } from 'node:zlib';

/** A PNG of eight-bit RGB without filters, as `encodePng` writes it. */
export function readPng(file: Uint8Array) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks = new Map<string, Uint8Array>();
  for (let at = 8; at < file.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    chunks.set(type, file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const rows = inflateSync(chunks.get('IDAT') ?? new Uint8Array());
  return {
    ...{ width, height, chunks: [...chunks.keys()] },
    /** Red, green and blue. */
    pixel: (x: number, y: number): readonly number[] => {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      return [...rows.subarray(at, at + 3)];
    },
  };
}
