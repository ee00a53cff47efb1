import { describe, expect, it } from 'vitest';
import { packedText, packJson, unpackJson } from '../../../../src/storage/redis/packed-json.ts';

const CALL = JSON.stringify({
  callId: 'call_1',
  threadId: 'slack:T1:C1:1.0',
  tool: { server: 'calendar', name: 'create_event', inputSchema: { type: 'object', properties: {} } },
  state: 'pending',
  timing: { decideBy: null, answerBy: null, askedSince: 1795467052397, nextRungAt: null, climbed: [] },
  requester: { id: 'slack:T1:U1', name: 'Aña 🦉' },
});

describe('the JSON of a record', () => {
  it('comes back as it was, and takes less than half where it is like what is usual', () => {
    const packed = packJson(CALL);
    if (typeof packed === 'string') throw new Error('it was not packed');
    expect(packed.length).toBeLessThan(CALL.length / 2);
    expect(unpackJson(packedText(packed))).toBe(CALL);
  });

  it('stays as it is where it is short, or would not get shorter', () => {
    expect(packJson('{"at":1}')).toBe('{"at":1}');
    expect(unpackJson(packedText(Buffer.from('{"at":1}')))).toBe('{"at":1}');
    const random = String.fromCodePoint(
      ...Array.from({ length: 400 }, (_, index) => 0x4e00 + ((index * 7919 + index * index * 31) % 20_000)),
    );
    expect(packJson(random)).toBe(random);
  });

  it('can be of any length', () => {
    const long = JSON.stringify({ text: 'word and '.repeat(100_000) });
    const packed = packJson(long);
    if (typeof packed === 'string') throw new Error('it was not packed');
    expect(unpackJson(packedText(packed))).toBe(long);
  });

  it('that was packed with the first dictionary can be read for ever', () => {
    expect(unpackJson(packedText(Buffer.from(KEPT, 'base64')))).toBe(CALL);
  });
});

/** Were the dictionary changed, these bytes would be something else. */
const KEPT =
  'AUPPlIZYc6WhlbOhlaGeAbZcl5yYk5qXkliE8C2k+ohPLQNVwhjZC29Wqa3FGrXkRqWlqYmZuYGpkbEloVjFF4+GVqGGCN85Ht6YqPBh/rJOpdpaAA==';
