import { describe, expect, it } from 'vitest';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';

const SLOW = 120_000;
const NAMES = ['revenue', 'costs', 'staff'];

/** A file of each name, learned; and where the app is while nobody tells it what happens to them. */
async function openWithFiles() {
  const files = await openForFiles();
  const { driver, line } = files;
  const ana = driver.as('ana');
  const ids = new Map<string, string>();
  for (const name of NAMES) {
    const content = reportPdf(`The ${name} of the year were 812 crowns.`);
    const ts = ana.dm('', { files: [{ name: `${name}.pdf`, content }] });
    await line(`${name}.pdf`, 'ready');
    ids.set(name, driver.message(ana.dmChannel, ts).files[0] ?? '');
  }
  const id = (name: string) => ids.get(name) ?? '';
  return {
    ...files,
    id,
    /** As Slack's own retention does it, of which nobody is told. */
    deleteQuietly(name: string): void {
      const file = driver.workspace.files.get(id(name));
      if (file) driver.workspace.files.set(file.id, { ...file, content: '', isDeleted: true });
    },
    async find(): Promise<string> {
      const { found } = await files.search('crowns of the year', () => ana.dm('how many crowns?'));
      return found;
    },
    said: (name: string) => files.lines().filter((it) => it.includes(`${name}.pdf`)),
    asked: () => driver.calls('files.info').length,
  };
}

describe('a file that was deleted in Slack while nobody was told', { timeout: SLOW }, () => {
  it('is forgotten at the next start, and nothing else is', async () => {
    const { app, driver, line, find, said, deleteQuietly, id } = await openWithFiles();
    deleteQuietly('revenue');
    // What the app may not see is answered so as well.
    driver.workspace.files.delete(id('staff'));
    expect(await find()).toContain('revenue');
    await app.restart();
    await line('revenue.pdf: forgotten. Nothing of it can be found any more.');
    await driver.waitUntil(() => driver.calls('files.info').some(({ args }) => args.file === id('staff')));
    const found = await find();
    expect(found).not.toContain('The revenue of');
    for (const name of ['costs', 'staff']) {
      expect(found).toContain(`The ${name} of`);
      expect(said(name)).toEqual([expect.stringContaining('ready')]);
    }
  });

  it.each([
    { kind: 'error', error: 'internal_error' },
    { kind: 'error', error: 'missing_scope' },
    { kind: 'rate_limited' },
  ] as const)('stays where Slack can’t say so at the moment: $kind $error', async (fault) => {
    const { app, driver, find, said, asked, deleteQuietly } = await openWithFiles();
    deleteQuietly('revenue');
    const before = asked();
    driver.fault({ method: 'files.info', times: 3, ...fault });
    await app.restart();
    await driver.waitUntil(() => asked() > before);
    expect(await find()).toContain('The revenue of');
    expect(said('revenue')).toEqual([expect.stringContaining('ready')]);
  });
});
