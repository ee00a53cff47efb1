import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { makeDocx, makePdf, makeZip, wordParagraph, zeros } from '../helpers/made-documents.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 180_000;
const WITHOUT_READ = ['app_mentions:read', 'chat:write', 'commands', 'im:history', 'users:read'];

describe.skipIf(ON_REDIS)('files that are dropped and can’t be learned', { timeout: SLOW }, () => {
  it('are each told of in a line that says what to do, and the others are learned', async () => {
    const { driver, lines } = await openForFiles();
    driver.as('ana').dm('', {
      files: [
        { name: 'secret.pdf', content: makePdf([[{ text: 'x', size: 11 }]], { isEncrypted: true }) },
        { name: 'bomb.docx', content: makeZip({ 'word/document.xml': zeros(40) }) },
        { name: 'scan.pdf', content: makePdf([[null], [null]]) },
        { name: 'pictures.docx', content: makeDocx(wordParagraph('')) },
        { name: 'mixed.pdf', content: makePdf([['Figs.'], ['Plums.'], [null], [null], [null]]) },
        { name: 'broken.xlsx', content: 'not a workbook' },
        { name: 'photo.png', content: 'pixels' },
        { name: 'notes.md', content: '# Notes\n\nApples are red.' },
      ],
    });
    const said = await driver.waitUntil(() => {
      const [line] = lines();
      return line?.includes('ready') && !line.includes('reading') && line;
    });
    for (const words of [
      "secret.pdf can't be read: it's protected by a password. Drop it here without one.",
      "bomb.docx can't be read: it unpacks to more than I may read.",
      'scan.pdf has no text that can be read: it may be a scan, pictures,',
      'pictures.docx has no text that can be read:',
      "broken.xlsx can't be read: it's broken, or not what its name says.",
      "photo.png wasn't learned: I read PDF, Word, Excel, PowerPoint, HTML, Markdown, CSV and text files.",
      "mixed.pdf: 5 pages, 2 passages, ready. 3 of 5 pages have no text that can be read, as in a scan: what they say isn't found.",
      'notes.md: 1 passage, ready.',
    ])
      expect(said).toContain(words);
    expect(lines()).toHaveLength(1);
  });

  it('can be forgotten where anything of them is kept, and come again then', async () => {
    const { app, driver, line } = await openForFiles();
    const ana = driver.as('ana');
    ana.dm('', {
      files: [
        { name: 'broken.xlsx', content: 'not a workbook' },
        { name: 'photo.png', content: 'pixels' },
      ],
    });
    const said = await line('broken.xlsx', "it's broken", 'photo.png', "wasn't learned");
    expect(driver.text(said).match(/\[Forget\]/g)).toHaveLength(1);
    await ana.click(said, 'Forget');
    await line('broken.xlsx: forgotten. Nothing of it can be found any more.');
    expect(driver.text(driver.message(said.channel, said.ts))).not.toContain('[Forget]');
    const index = openDocumentIndex(join(app.dataDir, 'documents.db'));
    expect([await index.list(), await index.kept()]).toEqual([[], []]);
    await index.close();
  });

  it('are replaced by a version that can be, and can’t take that along', async () => {
    const { driver, line } = await openForFiles();
    const ana = driver.as('ana');
    ana.dm('', { files: [{ name: 'report.pdf', content: 'not a report' }] });
    const { channel, ts } = await line("report.pdf can't be read", '[Forget]');
    ana.dm('', { files: [{ name: 'report.pdf', content: reportPdf('Apples.') }] });
    await line('report.pdf: 1 page, 1 passage, ready.');
    const said = await driver.waitUntil(() => {
      const now = driver.text(driver.message(channel, ts));
      return now.includes('a newer version has taken its place') && now;
    });
    expect(said).not.toContain('[Forget]');
  });

  it('for want of a scope are told of in one line', async () => {
    const { driver, line, lines } = await openForFiles({ slack: { scopes: WITHOUT_READ } });
    driver.as('ana').dm('', { files: [{ name: 'report.pdf', content: reportPdf('Apples.') }] });
    await line("report.pdf wasn't learned: I was installed without the Slack scope files:read.");
    expect(lines()).toHaveLength(1);
  });

  it('have names that mention nobody and format nothing, of any script', async () => {
    const { driver, line } = await openForFiles();
    const names = [
      '<!channel> *bold* :smile:.txt',
      'דוח רבעוני.txt',
      '🍎👩‍👧.txt',
      `${'long '.repeat(60)}end.txt`,
    ];
    driver.as('ana').dm('', { files: names.map((name) => ({ name, content: `Of ${name}.` })) });
    const { channel, ts } = await line(
      '<!channel> *bold* :smile:.txt: 1 passage',
      'דוח רבעוני.txt',
      '🍎👩‍👧.txt',
    );
    const said = await driver.waitUntil(() => {
      const now = driver.message(channel, ts);
      return driver.text(now).split('ready').length === 5 && now;
    });
    expect(driver.broadcasts()).toEqual([]);
    expect(said.text).toContain('&lt;!channel&gt; *bold*');
    expect(driver.text(said)).toMatch(/long …ong long .*\.txt: 1 passage/);
  });
});

describe.skipIf(ON_REDIS)('a file of 2,000 pages', { timeout: SLOW }, () => {
  const pages = Array.from({ length: 2_000 }, (_, at) => `Page ${at + 1} is about number ${at + 1}.`);

  it('is seen to be read, and is there after a restart in the middle of it, told of once', async () => {
    const { app, driver, line, lines, search } = await openForFiles();
    const ana = driver.as('ana');
    ana.dm('', { files: [{ name: 'long.pdf', content: reportPdf(...pages) }] });
    const said = await line('long.pdf: I am reading it,', 'of 2,000 pages so far');
    await app.restart();
    await driver.waitUntil(
      () => driver.text(driver.message(said.channel, said.ts)).includes('2,000 pages, '),
      SLOW,
    );
    expect(lines()).toHaveLength(1);
    expect((await search('number 1234', () => ana.dm('Where is number 1234?'))).found).toContain(
      'Page 1234 is about',
    );
  });
});
