import { describe, expect, it } from 'vitest';
import { packed, unpacked } from '../../../../../src/storage/checkpoints/redis/packed.ts';

const json = (value: unknown) => ({ type: 'json', bytes: Buffer.from(JSON.stringify(value)) });
const read = ([type, bytes]: readonly [string, Buffer]) => {
  const value = unpacked({ type, bytes });
  return { type: value.type, text: Buffer.from(value.bytes).toString() };
};

describe('a packed value', () => {
  it('comes back as it was, and takes less where it is like what is usual', () => {
    const usual = json({
      channel_values: { allowedToolTypes: null, awaiting: ['c1'], ending: null, counts: {} },
    });
    const [type, bytes] = packed(usual);
    expect(type).toBe('d1:json');
    expect(bytes.length).toBeLessThan(usual.bytes.length / 2);
    expect(read([type, bytes])).toEqual({ type: 'json', text: usual.bytes.toString() });
  });

  it('stays as it is where it is short, or would not get shorter', () => {
    expect(packed(json('short'))[0]).toBe('json');
    const random = Uint8Array.from({ length: 200 }, (_, index) => (index * 167 + 13 * index * index) % 251);
    expect(packed({ type: 'bytes', bytes: random })[0]).toBe('bytes');
  });

  it('of format 1 of this packing can be read for ever', () => {
    const kept = Buffer.from(FORMAT_1, 'base64');
    expect(read(['d1:json', kept]).text).toBe(KEPT);
  });
});

/** Were the dictionary changed, these bytes would be something else. */
const KEPT = JSON.stringify([
  { id: '7ea081cab57ba297e7c6dbefa34c630d', value: { callIds: ['call-24011-46'] } },
]);
const FORMAT_1 = 'i4bmQfPURAMLw+TEJFPzpEQjS/NU82SzlKTUtERjk2QzY4MUHMUfiKlrZGJgaKhrYgYuCwE=';
