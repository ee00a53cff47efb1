import { realpath } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { stdioServerSchema } from '../../../../src/mcp/config/schema.ts';
import { bubblewrapArguments, describeView } from '../../../../src/mcp/isolation/namespace.ts';

const view = {
  isRoot: false,
  hasNetwork: true,
  folders: null,
  emptied: ['/run'],
  kept: [],
  hidden: [
    { path: '/app/data', isFolder: true },
    { path: '/app/.env', isFolder: false },
  ],
  readOnly: ['/app/src'],
};
const line = (changes: Partial<Parameters<typeof bubblewrapArguments>[0]>) =>
  bubblewrapArguments({ ...view, ...changes }).join(' ');

it('hides what is ours last, so that nothing a server is given covers it', () => {
  expect(line({ folders: [{ path: '/', write: true }] })).toMatch(
    /--bind \/ \/ .*--ro-bind-try \/app\/src .*--tmpfs \/app\/data --dev-bind \/dev\/null \/app\/\.env --$/,
  );
});

it('gives a folder that is within ours, where an entry names it', () => {
  const files = { path: '/app/data/files', write: true };
  expect(line({ folders: [files] })).toMatch(/--tmpfs \/app\/data .*--bind \/app\/data\/files \S+ --$/);
  const all = { path: '/app/data', write: true };
  expect(line({ folders: [all] })).toMatch(/--bind \/app\/data .*--tmpfs \/app\/data /);
});

it('takes from root whatever undoes a mount', () => {
  expect(line({ isRoot: true })).toContain('--cap-drop ALL');
  expect(line({ isRoot: true })).not.toMatch(/CAP_SYS_|CAP_DAC_READ_SEARCH|CAP_MKNOD/);
});

it('leaves the network out where an entry says so', () => {
  expect(line({})).not.toContain('--unshare-net');
  expect(line({ hasNetwork: false })).toContain('--unshare-net');
});

it('ends with us, however we end', () => {
  expect(line({})).toContain('--die-with-parent');
});

it('changes no setting of the machine’s kernel', () => {
  expect(line({})).toMatch(/--bind \/ \/ .*--ro-bind-try \/sys \/sys /);
});

describe.runIf(process.platform === 'linux')('sockets of the machine’s services', () => {
  const own = { hidden: [], readOnly: [] };
  const emptied = async (entry: object) => {
    const config = stdioServerSchema.parse({ command: 'node', ...entry });
    return (await describeView(config, process.execPath, own)).emptied;
  };

  it('are not there, whether or not an entry names folders', async () => {
    expect(await emptied({})).toEqual([await realpath('/run')]);
    expect(await emptied({ sandbox: { folders: [] } })).toContain(await realpath('/run'));
  });

  it('are there for what only starts a container, unless its entry names folders', async () => {
    expect(await emptied({ command: '/usr/bin/docker' })).toEqual([]);
    expect(await emptied({ command: 'docker', sandbox: { folders: [] } })).toContain(await realpath('/run'));
  });
});
