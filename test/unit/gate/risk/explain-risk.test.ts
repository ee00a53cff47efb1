import { expect, it } from 'vitest';
import type { ReadKind } from '../../../../src/gate/policy/session-condition.ts';
import { explainRisk } from '../../../../src/gate/risk/explain-risk.ts';
import { riskPorts } from '../../../helpers/risk.ts';

function explained(tool: string, hasRead: readonly ReadKind[] | null): string {
  const [server = '', name = ''] = tool.split('.');
  const lines = explainRisk(
    riskPorts.findToolRisk({ server, name }, 'assistant'),
    hasRead && new Set(hasRead),
  );
  return lines.join('\n');
}

it.each([
  [
    'a disabled tool',
    'mail.list_closed',
    null,
    /^Risk: not allowed, whatever the policy says\nThe operator has/,
  ],
  ['a harmless tool', 'mail.list_time', null, /^$/],
  ['a write, where nothing is said of the session', 'mail.send_mail', null, /Say it with --session-has-read/],
  ['a write after both reads', 'mail.send_mail', ['private', 'untrusted'], /^Risk: needs an approval/],
  ['a write after a page', 'mail.send_mail', ['untrusted'], /no approval is needed besides$/],
  [
    'a write after private data',
    'mail.send_mail',
    ['private'],
    /no approval.+\nNot looked at: how confidential/,
  ],
] as const)('says of %s what risk adds', (_what, tool, hasRead, words) => {
  expect(explained(tool, hasRead)).toMatch(words);
});
