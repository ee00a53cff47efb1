import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReceipts } from '../../src/gate/index.ts';
import { auditKeys } from '../helpers/audit-keys.ts';
import { createEvent, openGate, opening, proposed } from '../helpers/gate.ts';
import { ROOT } from '../helpers/sources.ts';

const page = readFileSync(join(ROOT, 'docs/receipts.md'), 'utf8');
const [jwk] = auditKeys.publicKeys;
const ISSUER = 'https://countersign.example.com';
const ARGS = { title: 'Café', days: [1, 2] };

function snippet(language: string): string {
  const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
  return code;
}

/** A receipt as it is now, of a call whose record says that somebody approved it. */
async function issue(): Promise<string> {
  const fixture = openGate();
  await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
  const decision = {
    type: 'approve' as const,
    actor: { id: 'slack:T1:U1', name: 'Ana' },
    at: 1,
    feedback: null,
  };
  const call = { ...(await fixture.call('c1')), arguments: ARGS, decision };
  const issueReceipt = createReceipts({ auditKeys, clock: Date.now, issuer: () => ISSUER })(call);
  return issueReceipt?.() ?? '';
}

const folder = () => mkdtempSync(join(tmpdir(), 'receipts-page-'));
/** The receipt with the first letter of its claims' `jti` changed. */
const tampered = (receipt: string) => {
  const [header, claims = '', signature] = receipt.split('.');
  const text = Buffer.from(claims, 'base64url').toString().replace('"jti":"', '"jti":"x');
  return [header, Buffer.from(text).toString('base64url'), signature].join('.');
};

describe('the page on receipts', () => {
  it('has commands of OpenSSL that verify one, and tell of one that was changed', async () => {
    const receipt = await issue();
    const run = (it: string) =>
      spawnSync('bash', ['-c', snippet('bash')], {
        cwd: folder(),
        env: { ...process.env, receipt: it, x: jwk?.x },
        encoding: 'utf8',
      }).stdout;
    expect(run(receipt)).toContain('Signature Verified Successfully');
    expect(run(receipt)).toContain('"approved_by":[{"id":"slack:T1:U1"');
    expect(run(tampered(receipt))).toContain('Signature Verification Failure');
  });

  // Debian's package is of Debian's own Python, which need not be the first on the path.
  const python = ['python3', '/usr/bin/python3'].find(
    (it) => spawnSync(it, ['-c', 'import cryptography']).status === 0,
  );
  if (process.env.CI && !python) throw new Error('There is no Python with the package cryptography.');
  it.skipIf(!python)('has Python that takes a true one once, and no other', async () => {
    const receipt = await issue();
    const path = folder();
    // Stands in for the package; these arguments need no more of it.
    const canonical = 'json.dumps(it, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()';
    writeFileSync(join(path, 'rfc8785.py'), `import json\ndef dumps(it):\n    return ${canonical}\n`);
    const check = `
import sys
keys, tokens = json.loads(sys.argv[1]), json.loads(sys.argv[2])
for token, server, tool, arguments in tokens:
    try:
        print(verify_receipt(token, keys, "${ISSUER}", server, tool, arguments)["approved_by"][0]["id"])
    except Exception as error:
        print(type(error).__name__, error)
`;
    const { server, name } = createEvent;
    const asked = [
      [tampered(receipt), server, name, ARGS],
      [receipt, 'till', name, ARGS],
      [receipt, server, name, { ...ARGS, title: 'Tea' }],
      [receipt, server, name, ARGS],
      [receipt, server, name, ARGS],
    ];
    const said = execFileSync(
      python ?? '',
      ['-c', `${snippet('python')}${check}`, JSON.stringify(auditKeys.publicKeys), JSON.stringify(asked)],
      { cwd: path, encoding: 'utf8' },
    );
    expect(said.trim().split('\n')).toEqual([
      expect.stringContaining('InvalidSignature'),
      'PermissionError for another call',
      'PermissionError changed',
      'slack:T1:U1',
      'PermissionError used before',
    ]);
  });
});
