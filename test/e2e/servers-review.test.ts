import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFile } from '../fixtures/servers/effects.ts';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { countersign, type EndedCommand } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

const LEDGER = join(ROOT, 'test/fixtures/servers/ledger.ts');

/** `countersign servers review` in this folder. */
function review(folder: string, ...args: readonly string[]): Promise<EndedCommand> {
  const env = { DATA_DIR: join(folder, 'data'), AUDIT_SIGNING_KEY };
  return countersign(folder, ['servers', 'review', ...args], env);
}

function place(extra: object = {}): string {
  const folder = temporaryFolder();
  const ledger = { command: process.execPath, args: [LEDGER, folder] };
  const config = { ...extra, mcpServers: { ledger, calendar: { in_process: 'calendar' } } };
  writeFileSync(join(folder, 'countersign.yaml'), JSON.stringify(config));
  return folder;
}

describe('countersign servers review', () => {
  // Each look is a process of its own.
  it('takes what is first seen, shows what has changed, and accepts it', { timeout: 90_000 }, async () => {
    const folder = place();
    expect(await review(folder)).toEqual({
      code: 0,
      stdout: 'ledger: 3 tools\nNothing waits for a review.\n',
      stderr: expect.stringMatching(/^(?:Waiting for ledger, up to 30 s …\n)?$/),
    });
    writeFileSync(changedFile(folder), '');
    const changed = await review(folder);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toBe(
      [
        'ledger: 3 tools; 1 wait for a review',
        '  add_entry: changed since it was reviewed',
        '    + description: "Adds an entry, and tells the tax office."',
        '1 wait for a review; --accept accepts them.\n',
      ].join('\n'),
    );
    const accepted = await review(folder, '--accept', 'ledger.add_entry');
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain('Accepted at ledger: add_entry.\nNothing waits for a review.\n');
    expect((await review(folder)).code).toBe(0);
  });

  it('says for whom it waits where that takes a while', async () => {
    const folder = temporaryFolder();
    const slow = { command: 'sh', args: ['-c', 'sleep 3; exec "$0" "$@"', process.execPath, LEDGER, folder] };
    writeFileSync(join(folder, 'countersign.yaml'), JSON.stringify({ mcpServers: { slow } }));
    const { stdout, stderr } = await review(folder);
    expect(stdout).toBe('slow: 3 tools\nNothing waits for a review.\n');
    expect(stderr).toBe('Waiting for slow, up to 30 s …\n');
  });

  it('holds new tools where a review is required, and accepts what is named only', async () => {
    const folder = place({ tool_review: 'required' });
    const one = await review(folder, '--accept', 'ledger.read_entries');
    expect(one.code).toBe(1);
    expect(one.stdout).toContain('  strike_entry: new\n    + name: "strike_entry"\n');
    expect(one.stdout).toContain('Accepted at ledger: read_entries.\n2 wait for a review');
    const rest = await review(folder, '--accept');
    expect(rest.stdout).toContain('Accepted at ledger: add_entry, strike_entry.\n');
    expect(rest.code).toBe(0);
  });

  it.each([
    [['ledger'], 'Too many arguments'],
    [['--accept', 'nobody'], 'There is no server or tool nobody that is reviewed.'],
    [['--accept', 'ledger.nope'], 'There is no server or tool ledger.nope that is reviewed.'],
    [['--all'], "Unknown option '--all'."],
  ])('says what is wrong with %j', async (args, words) => {
    const { code, stderr } = await review(place(), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
