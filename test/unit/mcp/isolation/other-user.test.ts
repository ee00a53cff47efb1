import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findServerUser, setprivArguments } from '../../../../src/mcp/isolation/other-user.ts';
import { isRoot } from '../../../helpers/isolated-host.ts';
import { temporaryFolder } from '../../../helpers/process.ts';

/** Of every system, and without a home of its own. */
const GAMES = { name: 'games', uid: 5 };

it('a server is that user, with no group and no privilege besides', () => {
  const user = { name: 'nobody', uid: 65_534, gid: 65_533, home: '/nonexistent' };
  expect(setprivArguments(user)).toEqual([
    '--reuid=65534',
    '--regid=65533',
    // Ours may read what is not the user's, such as the socket of Docker.
    '--clear-groups',
    // Capabilities, and programs that give any (sudo), lead back to root.
    '--inh-caps=-all',
    '--no-new-privs',
    '--',
  ]);
});

describe.runIf(isRoot)('the user that servers run as', () => {
  it('gets a home of its own, where it has none', async () => {
    vi.stubEnv('TMPDIR', temporaryFolder());
    const home = join(process.env.TMPDIR ?? '', `countersign-servers-${GAMES.uid}`);
    expect(await findServerUser(GAMES.name)).toMatchObject({ ...GAMES, home });
    // Also the next time.
    expect(await findServerUser(GAMES.name)).toMatchObject({ ...GAMES, home });
  });

  it('gets none that somebody else made for it', async () => {
    vi.stubEnv('TMPDIR', temporaryFolder());
    const home = join(process.env.TMPDIR ?? '', `countersign-servers-${GAMES.uid}`);
    mkdirSync(home);
    expect(await findServerUser(GAMES.name)).toBe(`the folder ${home}, its home, is somebody else’s`);
  });

  it.each([
    ['root', 'this program runs as root itself (SANDBOX_USER)'],
    ['nobody-of-this-name', 'there is no user nobody-of-this-name (SANDBOX_USER)'],
  ])('is not %s', async (name, why) => {
    expect(await findServerUser(name)).toBe(why);
  });
});
