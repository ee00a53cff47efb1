import { expect, test } from 'vitest';
import { flameGraph, timeByArea } from '../../../bench/bots/flame.ts';
import type { CpuProfile } from '../../../bench/bots/probe-client.ts';

const node = (id: number, functionName: string, url = '', children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 1 },
  children,
});

/** `decide` is called from two places that V8 tells apart by position; a quarter of the time nothing is done. */
const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 5, 6]),
    node(2, 'decide', 'file:///x/src/gate/gate.ts', [3]),
    node(3, 'parse<T>', 'file:///x/node_modules/@scope/zod/index.js', []),
    node(5, '(idle)'),
    node(6, 'decide', 'file:///x/src/gate/gate.ts', []),
  ],
  samples: [2, 3, 5, 6],
  timeDeltas: [100, 200, 400, 300],
};

test('busy time is told by package and folder, most first', () => {
  expect([...timeByArea(profile)]).toEqual([
    ['src/gate', 400],
    ['@scope/zod', 200],
  ]);
});

test('calls of one function from one place are one box, as wide as their time', () => {
  const boxes = [...flameGraph(profile, 'title').matchAll(/<title>(.*?)<\/title><rect width="([\d.]+)"/g)];
  expect(boxes.map(([, name, width]) => `${name} ${width}`)).toEqual([
    'all (all) 100.0% 1600.0',
    'decide (src/gate) 100.0% 1600.0',
    'parse&lt;T&gt; (@scope/zod) 33.3% 533.3',
  ]);
});
