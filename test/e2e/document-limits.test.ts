import { describe, expect, it } from 'vitest';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 120_000;
const KEY = 'a-key-of-whoever-gives-too-much-27182';
const LEAST = { documents: 1, size: '1MB' };

describe.skipIf(ON_REDIS)('how many documents people and programs bring', { timeout: SLOW }, () => {
  it('is limited for each person, who is told what to do, and may replace and forget', async () => {
    const { driver, line } = await openForFiles({ file: { knowledge: { limits: { person: LEAST } } } });
    const [ana, bob] = [driver.as('ana'), driver.as('bob')];
    const file = (name: string, text = name) => ({ files: [{ name, content: reportPdf(text) }] });
    ana.dm('', file('One.pdf'));
    await line('One.pdf: 1 page');
    ana.post('general', '@countersign', file('Two.pdf'));
    await line(
      "Two.pdf wasn't learned: you have brought as many documents as one may. Forget one that you no longer need",
    );
    ana.dm('', file('One.pdf', 'another version'));
    await line('One.pdf: 1 page', 'It takes the place of the version before.');
    bob.dm('', { files: [{ name: 'Large.txt', content: Buffer.alloc(1024 * 1024 + 1, 'word ') }] });
    await line(
      "Large.txt wasn't learned: with it, your documents would take more room than one person's may.",
    );
    bob.dm('', file('Two.pdf'));
    await line('Two.pdf: 1 page');
    await ana.command('/countersign forget One.pdf', ana.dmChannel);
    const choice = await driver.waitUntil(() =>
      ana.ephemerals().find((it) => driver.text(it).includes('One.pdf')),
    );
    await ana.click(choice, 'Forget');
    await line('One.pdf: forgotten.');
    ana.dm('', file('Three.pdf'));
    await line('Three.pdf: 1 page');
  });

  it('is limited for each key of the API, and for all together', async () => {
    const { app } = await openForFiles({
      env: { COUNTERSIGN_API_KEY: KEY },
      file: { knowledge: { limits: { key: { ...LEAST, documents: 2 }, workspace: { documents: 2 } } } },
    });
    const give = async (name: string, content: string) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'text/plain' };
      const options = { method: 'POST', headers, body: content };
      const response = await fetch(`${app.url}/documents?name=${name}`, options);
      return { status: response.status, body: await response.text() };
    };
    expect((await give('a.txt', 'apples')).status).toBe(202);
    const large = await give('b.txt', 'x'.repeat(1024 * 1024));
    expect(large).toMatchObject({ status: 409, body: expect.stringContaining('too_many_documents') });
    expect(large.body).toContain(
      'the documents of this key would take more room than they may. Nothing was kept',
    );
    expect((await give('b.txt', 'pears')).status).toBe(202);
    expect((await give('b.txt', 'plums')).status).toBe(202);
    const third = await give('c.txt', 'cherries');
    expect(third.status).toBe(409);
    expect(third.body).toContain('This key has given as many documents as one may. Nothing was kept');
  });
});
