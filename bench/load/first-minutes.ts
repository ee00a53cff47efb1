import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../../test/helpers/chromium.ts';
import { ROOT, spawnProcess } from '../../test/helpers/process.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';

const STARTS = 3;

/** What somebody who tries Countersign waits for. Milliseconds, of the slowest of the starts. */
export interface FirstMinutes {
  readonly at: string;
  readonly busyness: Busyness;
  readonly starts: number;
  /** From `npm start` to the address in the terminal. */
  readonly address: number;
  /** From `npm start` to the first call that was approved, as the README has it, by a browser that reads and clicks at once. */
  readonly approval: number;
}

/**
 * Walks the README's first step from an empty folder, that holds what `npm install` leaves: the files, the packages, and the
 * bundle. Null where there is no Chromium.
 */
export async function measureFirstMinutes(): Promise<FirstMinutes | null> {
  const busyness = currentBusyness();
  const browser = await launchChromium();
  if (browser === null) return null;
  const folder = installIn(mkdtempSync(join(tmpdir(), 'countersign-bench-first-')));
  const walks: { readonly address: number; readonly approval: number }[] = [];
  try {
    for (let walk = 0; walk < STARTS; walk++) {
      const dataDir = join(folder, `data-${walk}`);
      const began = performance.now();
      const countersign = spawnProcess({ dataDir, command: ['npm', 'start'], cwd: folder });
      const page = await browser.newPage();
      try {
        const [, url = ''] = await countersign.waitFor(/open (http:\S+)/);
        const address = performance.now() - began;
        await page.goto(url);
        const composer = page.getByRole('textbox', { name: 'Message countersign' });
        await composer.fill('create a meeting called Standup tomorrow at 9am');
        await composer.press('Enter');
        const thread = page.getByRole('complementary', { name: 'Thread' });
        await thread.getByRole('button', { name: 'Approve', exact: true }).click();
        await thread.getByText('Created evt_1: Standup').last().waitFor();
        walks.push({ address, approval: performance.now() - began });
      } finally {
        await page.close();
        await countersign.end('SIGKILL');
      }
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    at: new Date().toISOString(),
    busyness,
    starts: STARTS,
    address: Math.max(...walks.map(({ address }) => address)),
    approval: Math.max(...walks.map(({ approval }) => approval)),
  };
}

/** The checkout's files as they are now, its packages, and what `npm install` ends with. */
function installIn(folder: string): string {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const sources = files.filter((file) => file !== '' && !/^(?:test|docs)\//.test(file));
  execFileSync('cp', ['--parents', ...sources, folder], { cwd: ROOT });
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), folder]);
  rmSync(join(folder, 'node_modules', '.cache'), { recursive: true, force: true });
  execFileSync('npm', ['run', 'prepare'], { cwd: folder, stdio: 'ignore' });
  return folder;
}
