import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readFaqSet } from '../../../bench/search/faq-set.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const PAGES = {
  'python3.11/html/faq/general.html': `<html><head><title>General</title></head><body><a>Navigation</a><div role="main">
    <h1>General FAQ<a>¶</a></h1><ul><li>What is it?</li><li>Why is it so?</li><li>How is it called?</li></ul>
    <h2>Basics<a>¶</a></h2><h3>What is it?<a>¶</a></h3><p>A language.</p><p>It is small.</p>
    <h3>Why is it so?<a>¶</a></h3><p>Somebody liked it.</p><h4>More<a>¶</a></h4><p>Others did, too.</p>
    <h3>How is it called?<a>¶</a></h3><p>After a show.</p></div><div class="sphinxsidebar">Previous topic</div></body></html>`,
  'debian/FAQ/support.en.html': `<div class="navheader"><table><tr><td>Chapter 1</td><td>Next</td></tr></table></div>
    <h2>1.2. What is it?</h2><p>A system.</p><h2>1.3. Who helps me?</h2><p>People on lists.</p>`,
  'debian/FAQ/support.html': '<h2>1.3. Wer hilft?</h2><p>Leute.</p>',
  'git-doc/gitfaq.html': `<h2>Common</h2><dl><dt class="hdlist1">What is <code>user.name</code>?</dt><dd><p>Your name.</p></dd></dl>`,
  'git-doc/gittutorial.html': '<h1>Tutorial</h1><p>Begin with a repository.</p>',
  'git-doc/git-add.html': '<p>A command.</p>',
  ...Object.fromEntries(
    ['tutorial', 'howto', 'using', 'extending', 'reference'].map((part) => [
      `python3.11/html/${part}/index.html`,
      '<p>Contents</p>',
    ]),
  ),
};

it('takes the headings of FAQs as questions, and leaves them out of the texts that answer them', async () => {
  const folder = temporaryFolder();
  for (const [name, html] of Object.entries(PAGES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), html);
  }
  const { documents, questions } = await readFaqSet(folder);
  expect(documents.map(({ name, passages }) => [name, passages])).toEqual([
    [
      'python/faq/general.html',
      ['A language.\n\nIt is small.', 'Somebody liked it.', 'Others did, too.', 'After a show.'],
    ],
    ['debian/faq/support.html', ['A system.', 'People on lists.']],
    ['git/gitfaq.html', ['Your name.']],
    ['git/gittutorial.html', ['Begin with a repository.']],
  ]);
  // What is asked twice has two answers, and is left out.
  expect(questions.toSorted((one, other) => (one.ask < other.ask ? -1 : 1))).toEqual([
    { ask: 'How is it called?', document: 'python/faq/general.html', places: [4] },
    { ask: 'What is user.name?', document: 'git/gitfaq.html', places: [1] },
    { ask: 'Who helps me?', document: 'debian/faq/support.html', places: [2] },
    { ask: 'Why is it so?', document: 'python/faq/general.html', places: [2, 3] },
  ]);
});
