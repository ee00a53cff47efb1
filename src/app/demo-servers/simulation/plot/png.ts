import { promisify } from 'node:util';
import { crc32, deflate as deflateInThread } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Eight bits for each of red, green and blue; no other way of compression, filtering or interlacing exists, or is used. */
const EIGHT_BIT_RGB = [8, 2, 0, 0, 0];
const deflate = promisify(deflateInThread);

/**
 * An image as a PNG file, compressed beside the main thread.
 *
 * @param rgb three bytes for each pixel, row by row.
 * @see https://www.w3.org/TR/png-3/
 */
export async function encodePng(width: number, height: number, rgb: Uint8Array): Promise<Uint8Array> {
  const rowLength = width * 3;
  // Each row begins with its filter: 0 for none, which suits areas of one colour.
  const rows = new Uint8Array((rowLength + 1) * height);
  for (let y = 0; y < height; y++) {
    rows.set(rgb.subarray(y * rowLength, (y + 1) * rowLength), y * (rowLength + 1) + 1);
  }
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  for (const [i, byte] of EIGHT_BIT_RGB.entries()) header.setUint8(8 + i, byte);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', await deflate(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
