import { expect, it } from 'vitest';
import type { CallRisk } from '../../../src/gate/types.ts';
import { describeRisk } from '../../../src/presentation/risk-text.ts';

const source = { callKey: 'k', tool: 'a.b', at: 1 };
const NOTHING = { private: null, untrusted: null, write: null, highest: null };

it.each<[string, CallRisk['session'], boolean]>([
  ['This call may read private data and untrusted content, and write outside.', NOTHING, true],
  [
    'This session has written outside; this call reads private data and untrusted content.',
    { ...NOTHING, write: source },
    false,
  ],
  [
    'This session has read private data and written outside; this call also reads untrusted content.',
    { ...NOTHING, private: source, write: source },
    false,
  ],
  [
    'This session has read untrusted content; this call also reads private data, and can write outside.',
    { ...NOTHING, untrusted: source },
    true,
  ],
  [
    'This session has read private data and untrusted content; this call can write outside.',
    { ...NOTHING, private: source, untrusted: source },
    true,
  ],
])('%s', (words, session, writes) => {
  expect(describeRisk({ risk: { rule: 'trifecta', session, writes, taints: [] } })?.summary).toBe(words);
});
