import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfigFile, readPolicy } from '../../../src/config/file.ts';

const entry = (changes: object) =>
  JSON.stringify(
    {
      mail: {
        list_mail: {
          enabled: true,
          write_operation: false,
          read_private_data: true,
          read_untrusted_public_data: false,
          acl: 'PRIVATE',
          ...changes,
        },
      },
    },
    null,
    2,
  );

/** What reading a `countersign.yaml` with these permissions says; null when both are fine. */
async function problem(permissions: string, yaml = 'risk: { permissions: p.json }') {
  const folder = await mkdtemp(join(tmpdir(), 'risk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'p.json'), permissions);
  await writeFile(join(folder, 'countersign.yaml'), yaml);
  const said = async (read: Promise<unknown>) =>
    read.then(
      () => null,
      (error: Error) => error.message.replace('bad_config: ', '').replaceAll(`${folder}/`, ''),
    );
  const path = join(folder, 'countersign.yaml');
  const [started, checked] = [await said(readConfigFile(path, {})), await said(readPolicy(path))];
  // The commands that look at the policy say the same.
  expect(checked).toBe(started);
  return started;
}

describe('a permissions file', () => {
  it.each([
    [
      'an access level that there is not',
      entry({ acl: 'TOP' }),
      'p.json:8: mail.list_mail.acl: must be PUBLIC, PRIVATE or SECRET',
    ],
    [
      'a flag of another type',
      entry({ write_operation: 'no' }),
      'p.json:5: mail.list_mail.write_operation: must be true or false; this is a text',
    ],
    ['a flag that is missing', entry({ enabled: undefined }), 'p.json:3: mail.list_mail.enabled: is missing'],
    [
      'a misspelt flag',
      entry({ read_privat_data: true }),
      'p.json:9: mail.list_mail.read_privat_data: there is no such setting; did you mean read_private_data?',
    ],
  ])('with %s names its line', async (_name, file, said) => {
    expect(await problem(file)).toBe(said);
  });

  it('may be YAML, and says anything of itself', async () => {
    const yaml =
      '_metadata: { version: 2 }\nmail:\n  list_mail: { enabled: true, write_operation: false, read_private_data: true, read_untrusted_public_data: false, acl: SECRET }\n';
    expect(await problem(yaml)).toBeNull();
  });

  it('of an agent that there is not is refused', async () => {
    const yaml = 'risk:\n  permissions: p.json\n  agents:\n    assistent: p.json\n';
    expect(await problem(entry({}), yaml)).toBe(
      'countersign.yaml:4: risk.agents.assistent: there is no such agent; there is assistant, planner, team',
    );
  });

  it('may replace entries for an agent of the team, by its name', async () => {
    const yaml =
      'risk: { permissions: p.json, agents: { reader: p.json } }\nteam: { agents: { reader: { description: Reads. } } }\n';
    expect(await problem(entry({}), yaml)).toBeNull();
  });

  it('leaves no name to a server that is a section of its own', async () => {
    const yaml = 'risk: { permissions: p.json }\nmcpServers:\n  agent: { in_process: calendar }\n';
    expect(await problem(entry({}), yaml)).toContain('countersign.yaml:3: mcpServers.agent: ');
  });

  it('is needed by a rule about sessions', async () => {
    const yaml =
      'policy:\n  rules:\n    - tools: "*"\n      action: ask\n      when: { not: { session.has_read: untrusted } }\n';
    expect(await problem(entry({}), yaml)).toContain('needs risk.permissions');
    expect(await problem(entry({}), `${yaml}risk: { permissions: p.json }\n`)).toBeNull();
  });
});
