import { describe, expect, it } from 'vitest';
import { createCommandCounter } from '../../../bench/counting-way.ts';

const PING = '*1\r\n$4\r\nPING\r\n';
const SET = '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$6\r\n*1\r\n$1\r\n';

describe('the counter of commands', () => {
  it('counts each of several that come together', () => {
    expect(createCommandCounter()(Buffer.from(PING + SET + PING))).toBe(3);
  });

  it('takes nothing within a word for a command', () => {
    expect(createCommandCounter()(Buffer.from(SET))).toBe(1);
  });

  it('counts one that comes in pieces once, with its last byte', () => {
    const count = createCommandCounter();
    const counts = [...SET].map((byte) => count(Buffer.from(byte)));
    expect(counts.slice(0, -1).every((it) => it === 0)).toBe(true);
    expect(counts.at(-1)).toBe(1);
  });
});
