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
});
