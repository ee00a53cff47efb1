import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

/** In which the FAQs of Python, Debian and git are, and the manuals that stand beside them. */
const PACKAGES = ['python3.11-doc', 'debian-faq', 'git-doc'];
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/search-faq');

/**
 * The folder with the documentation of these packages, which is fetched once: downloaded from Debian and unpacked into a
 * cache, without being installed. `SEARCH_FAQ_DIR` names one that is there already.
 *
 * @throws with what to do, where there is no Debian to fetch them from.
 */
export async function faqFolder(): Promise<string> {
  const given = z.string().optional().parse(process.env.SEARCH_FAQ_DIR);
  const folder = given ?? join(CACHE, 'usr/share/doc');
  if (existsSync(join(folder, 'git-doc/gitfaq.html'))) return folder;
  if (given !== undefined) throw new Error(howToGet(`there is no git-doc/gitfaq.html in ${given}`));
  await fetchPackages().catch((error: unknown) => {
    throw new Error(howToGet(error instanceof Error ? error.message.trim() : String(error)));
  });
  return folder;
}

async function fetchPackages(): Promise<void> {
  const fresh = `${CACHE}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  await run('apt-get', ['download', ...PACKAGES], { cwd: fresh });
  for (const name of readdirSync(fresh).filter((file) => file.endsWith('.deb')))
    await run('dpkg-deb', ['-x', join(fresh, name), fresh]);
  rmSync(CACHE, { recursive: true, force: true });
  renameSync(fresh, CACHE);
}

function howToGet(why: string): string {
  return `The FAQs aren't here, so nothing was measured: ${why}
They are in Debian 12's packages ${PACKAGES.join(', ')}. On Debian or Ubuntu run \`apt-get update\` and try again. Elsewhere, \
unpack them anywhere (\`ar x FILE.deb && tar xf data.tar.xz\`) and set SEARCH_FAQ_DIR to their usr/share/doc. Or measure \
documents of your own: npm run eval:search -- questions.yaml`;
}
