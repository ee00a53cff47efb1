import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callDigest, callKey } from '../../../../src/gate/call/digest.ts';
import { canonicalJson, sha256Hex } from '../../../../src/lib/canonical-json.ts';
import type { Json } from '../../../../src/lib/json.ts';

const json = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => z.json().parse(JSON.parse(JSON.stringify(value))));

function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

describe('canonical JSON', () => {
  it('writes the example of RFC 8785, section 3.2.2, as section 3.2.3 has it', () => {
    const input: Json = {
      // biome-ignore lint/correctness/noPrecisionLoss: the number of the RFC's example
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as section 3.2.3 of RFC 8785 has it', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const sorted: unknown = JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0]))));
    expect(Object.keys(sorted ?? {}).filter((key) => key !== '1')).toEqual([
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\u{1f600}',
      '\ufb33',
    ]);
    expect(canonicalJson({ b: 1, '10': 2, '9': 3, a: 4 })).toBe('{"10":2,"9":3,"a":4,"b":1}');
  });

  it.each<[number, string]>([
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [295147905179352830000, '295147905179352830000'],
    [1e21, '1e+21'],
    [333333333.33333325, '333333333.33333325'],
  ])('writes %d as appendix B of RFC 8785 has it', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('reads back as the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('does not depend on the order in which keys were written', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it.each<[string, Json]>([
    ['infinity', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
    ['half a surrogate pair', '\ud800'],
    ['half a surrogate pair as a key', { '\udc00': 1 }],
  ])('refuses %s', (_what, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

describe('the digest of a call', () => {
  const call = { server: 'calendar', tool: 'create', definitionHash: 'v1', arguments: { title: 'Standup' } };

  it.each([
    ['the server', { ...call, server: 'other' }],
    ['the tool', { ...call, tool: 'delete' }],
    ['the definition', { ...call, definitionHash: 'v2' }],
    ['an argument', { ...call, arguments: { title: 'Stand-up' } }],
    ['an argument more', { ...call, arguments: { title: 'Standup', notify: true } }],
    ['what is tool and what is server', { ...call, server: 'create', tool: 'calendar' }],
  ])('changes with %s', (_what, changed) => {
    expect(callDigest(changed)).not.toBe(callDigest(call));
  });

  it('is SHA-256 in 64 lower-case hex digits', () => {
    expect(callDigest(call)).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('the key of a call', () => {
  it('is 128 bits, safe in URLs, and always the same', () => {
    expect(callKey('thread', 'call')).toMatch(/^[\w-]{22}$/);
    expect(callKey('thread', 'call')).toBe(callKey('thread', 'call'));
  });

  it('keeps threads apart whose names run into the call’s', () => {
    expect(callKey('a', 'bc')).not.toBe(callKey('ab', 'c'));
  });
});
