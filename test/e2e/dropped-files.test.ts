import { describe, expect, it } from 'vitest';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 120_000;
const REVENUE = reportPdf('Results of the quarter.', 'Revenue was 812 crowns.');

describe.skipIf(ON_REDIS)('a file that is dropped', { timeout: SLOW }, () => {
  it('into a direct message is learned, which one line says, and questions there find it, and no others', async () => {
    const { driver, model, line, search } = await openForFiles();
    const ana = driver.as('ana');
    ana.dm('', { files: [{ name: 'Q3 report.pdf', content: REVENUE }] });
    const said = await line('Q3 report.pdf: 2 pages, 2 passages, ready.');
    expect(driver.text(said)).toContain('Only you can ask for it.');
    expect(driver.messages(ana.dmChannel).filter(({ byApp }) => byApp)).toHaveLength(1);
    // Nobody has asked anything yet.
    expect(model.requests()).toEqual([]);
    expect((await search('revenue', () => ana.dm('What was our revenue?'))).found).toContain('812 crowns');
    expect((await search('revenue', () => driver.as('bob').dm('And what do I find?'))).found).not.toContain(
      '812',
    );
    expect((await search('revenue', () => ana.post('general', '@countersign revenue?'))).found).not.toContain(
      '812',
    );
  });

  it('with a question is learned before the agent’s search finds it', async () => {
    const { driver, search, line } = await openForFiles();
    const ana = driver.as('ana');
    const files = [{ name: 'Q3 report.pdf', content: REVENUE }];
    const { read, found } = await search('revenue', () => ana.dm('What was the revenue?', { files }));
    expect(read).toContain('What was the revenue?');
    expect(read).toContain('[With this message came: Q3 report.pdf.');
    expect(found).toContain('812 crowns');
    await line('Q3 report.pdf', 'ready');
  });

  it('into a thread of a channel is for everybody there', async () => {
    const { driver, search, line } = await openForFiles();
    const files = [{ name: 'Q3 report.pdf', content: REVENUE }];
    driver.as('ana').post('general', '@countersign', { files });
    await line('Q3 report.pdf', 'ready', 'Everybody in #general can ask for it.');
    const inGeneral = () => driver.as('bob').post('general', '@countersign revenue?');
    expect((await search('revenue', inGeneral)).found).toContain('812 crowns');
    const inOps = () => driver.as('bob').post('ops', '@countersign revenue?');
    expect((await search('revenue', inOps)).found).not.toContain('812');
  });

  it('again changes nothing; a new version takes its place, and the line before says so', async () => {
    const { driver, line, search, lines } = await openForFiles();
    const ana = driver.as('ana');
    const drop = (content: Buffer) => ana.dm('', { files: [{ name: 'Q3 report.pdf', content }] });
    drop(REVENUE);
    await line('2 passages, ready');
    drop(REVENUE);
    await line('Q3 report.pdf: known already, so nothing was changed.');
    drop(reportPdf('Revenue was 900 crowns.'));
    await line('1 passage, ready. It takes the place of the version before.');
    await driver.waitUntil(
      () => lines().filter((it) => it.includes('a newer version has taken its place')).length === 2,
    );
    const { found } = await search('revenue', () => ana.dm('revenue?'));
    expect(found).toContain('900 crowns');
    expect(found).not.toContain('812');
  });

  it('is forgotten where it is deleted in Slack, but not while a copy of it is left', async () => {
    const { driver, line, search, lines } = await openForFiles();
    const ana = driver.as('ana');
    const files = [{ name: 'Q3 report.pdf', content: REVENUE }];
    const first = ana.dm('', { files });
    await line('ready');
    const second = ana.dm('', { files });
    await line('known already');
    const fileOf = (ts: string) => driver.message(ana.dmChannel, ts).files[0] ?? '';
    ana.deleteFile(fileOf(first));
    await driver.waitUntil(() => lines().filter((it) => it.includes('ready')).length === 1);
    expect(lines().filter((it) => it.includes('forgotten'))).toHaveLength(1);
    expect((await search('revenue', () => ana.dm('revenue?'))).found).toContain('812');
    // It has been answered, so what is left of it is a tombstone.
    ana.deleteMessage(ana.dmChannel, second);
    await driver.waitUntil(() => lines().filter((it) => it.includes('forgotten')).length === 2);
    expect((await search('revenue', () => ana.dm('revenue?'))).found).not.toContain('812');
  });

  it('is forgotten by who owns it, and by nobody else', async () => {
    const { app, driver, line, search } = await openForFiles();
    const files = [{ name: 'Q3 report.pdf', content: REVENUE }];
    driver.as('bob').post('general', '@countersign', { files });
    const said = await line('ready');
    await driver.as('carol').click(said, 'Forget');
    const refused = await driver.waitForMessage(({ ephemeralFor }) => ephemeralFor !== null);
    expect(driver.text(refused)).toContain('There is no such document of yours, so nothing was deleted.');
    const ask = () => driver.as('carol').post('general', '@countersign revenue?');
    expect((await search('revenue', ask)).found).toContain('812');
    await driver.as('bob').click(said, 'Forget');
    await line('Q3 report.pdf: forgotten.');
    expect((await search('revenue', ask)).found).not.toContain('812');
    // Not even what it was learned from.
    await app.restart();
    expect((await search('revenue', ask)).found).not.toContain('812');
  });

  it('stays as it is where it’s given another title, and is learned anew where its content is changed, as a snippet’s', async () => {
    const { driver, line, lines, search } = await openForFiles();
    const ana = driver.as('ana');
    const bring = async (name: string, content: string, isSnippet: boolean) => {
      const ts = ana.dm('', { files: [{ name, content, isSnippet }] });
      await line(name, 'ready');
      return driver.message(ana.dmChannel, ts).files[0] ?? '';
    };
    const upload = await bring('upload.txt', 'Revenue was 812 crowns.', false);
    const snippet = await bring('snippet.txt', 'Costs were 300 crowns.', true);
    expect(() => ana.changeFile(upload, { content: 'Revenue was 900 crowns.' })).toThrow('stays as it is');
    ana.changeFile(upload, { title: 'renamed.txt' });
    ana.changeFile(snippet, { content: 'Costs were 400 crowns.' });
    await line('snippet.txt: 1 passage, ready. It takes the place of the version before.');
    await driver.eventsDelivered();
    const { found } = await search('revenue costs', () => ana.dm('revenue and costs?'));
    expect(found).toContain('812 crowns');
    expect(found).toContain('400 crowns');
    expect(found).not.toContain('300');
    expect(found).not.toContain('renamed');
    expect(lines().filter((it) => it.includes('upload.txt') && it.includes('ready'))).toHaveLength(1);
    expect(driver.calls('files.info').filter(({ args }) => args.file === upload)).toHaveLength(2);
  });
});
