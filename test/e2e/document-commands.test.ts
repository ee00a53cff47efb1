import { describe, expect, it } from 'vitest';
import { brought } from '../../src/slack/documents/collections.ts';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 120_000;
const REVENUE = reportPdf('Revenue was 812 crowns.');
const FILES = [{ name: 'Q3 report.pdf', content: REVENUE }];
const NONE = 'There is no document “Q3 report.pdf” that you may forget, so nothing was deleted.';

/** What a command answers, also where that comes after its acknowledgement, as on a busy machine. */
async function answerOf(
  driver: Awaited<ReturnType<typeof openForFiles>>['driver'],
  person: ReturnType<typeof driver.as>,
  line: string,
  channel?: string,
): Promise<string> {
  const before = new Set(person.ephemerals().map(({ ts }) => ts));
  await person.command(line, channel);
  const said = await driver.waitUntil(() => person.ephemerals().find(({ ts }) => !before.has(ts)));
  return driver.text(said);
}

describe.skipIf(ON_REDIS)('documents by command', { timeout: SLOW }, () => {
  it('are listed to whoever can ask for them, and forgotten by who owns them', async () => {
    const { driver, line } = await openForFiles();
    const [ana, bob] = [driver.as('ana'), driver.as('bob')];
    expect(await answerOf(driver, bob, '/countersign documents', bob.dmChannel)).toContain(
      'There are no documents that you can ask for here.',
    );
    bob.dm('', { files: FILES });
    await line('ready');
    const listed = await answerOf(driver, bob, '/countersign documents', bob.dmChannel);
    expect(listed).toContain('You can ask for 1 document here.');
    expect(listed).toContain('Q3 report.pdf');
    expect(listed).toContain('1 page, 1 passage · only you');
    const inChannel = await answerOf(driver, bob, '/countersign documents');
    expect(inChannel).toContain('There are no documents that you can ask for here.');
    expect(inChannel).toContain('1 page, 1 passage · only you, only in direct messages');
    // Not even an admin hears that it's there.
    for (const person of [ana, driver.as('carol')]) {
      expect(await answerOf(driver, person, '/countersign documents')).toContain('There are no documents');
      expect(await answerOf(driver, person, '/countersign forget Q3 report.pdf')).toContain(NONE);
    }
    expect(await answerOf(driver, bob, '/countersign forget q3 REPORT.pdf')).toContain('This one?');
    const [choice] = bob.ephemerals().slice(-1);
    if (choice === undefined) throw new Error('nothing to choose from');
    await bob.click(choice, 'Forget');
    await line('Q3 report.pdf: forgotten.');
    expect(driver.text(bob.ephemerals().at(-1) ?? choice)).toContain('It is forgotten');
    expect(await answerOf(driver, bob, '/countersign forget Q3 report.pdf')).toContain(NONE);
  });

  it('are learned from a link to a file or a message, where whoever asks may see it', async () => {
    const { driver, line, search } = await openForFiles();
    const [ana, bob] = [driver.as('ana'), driver.as('bob')];
    const ts = ana.post('ops', 'The report', { files: FILES });
    const message = driver.messages('ops').find((it) => it.ts === ts);
    const url = driver.workspace.baseUrl();
    const fileLink = `${url}/workspace/files/${message?.files[0]}`;
    const messageLink = `${url}/archives/${message?.channel}/p${ts.replace('.', '')}`;
    for (const link of [fileLink, messageLink]) {
      expect(await answerOf(driver, bob, `/countersign learn ${link}`)).toContain('nothing was learned');
    }
    expect(await answerOf(driver, bob, `/countersign learn ${messageLink}`, 'ops')).toContain(
      'I am fetching it. Everybody in #ops will be able to ask for it. What becomes of it I write to you directly.',
    );
    const said = await line('Q3 report.pdf: 1 page, 1 passage, ready.', 'Everybody in #ops can ask for it.');
    expect(said.channel).toBe(bob.dmChannel);
    const ask = () => ana.post('ops', '@countersign revenue?');
    expect((await search('revenue', ask)).found).toContain('812');
    expect(await answerOf(driver, ana, `/countersign learn ${fileLink} for everybody`)).toContain(
      'Everybody in the workspace will be able to ask for it.',
    );
    await line('Everybody in the workspace can ask for it.');
    expect(await answerOf(driver, bob, `/countersign learn ${fileLink} for everybody`)).toContain(
      'Only admins may',
    );
    const anywhere = () => driver.as('carol').dm('revenue?');
    expect((await search('revenue', anywhere)).found).toContain('812');
  });

  it('aren’t fetched from addresses of this network, or where there is no link', async () => {
    const { app, driver, line } = await openForFiles();
    const ana = driver.as('ana');
    expect(await answerOf(driver, ana, '/countersign learn', ana.dmChannel)).toContain('Say what');
    expect(await answerOf(driver, ana, '/countersign learn a page', ana.dmChannel)).toContain(
      '“a page” is no link',
    );
    expect(
      await answerOf(driver, ana, '/countersign learn https://127.0.0.1:9443/a', ana.dmChannel),
    ).toContain('I am fetching it, and say here what becomes of it. Only you will be able to ask for it.');
    expect(await answerOf(driver, ana, '/countersign learn https://127.0.0.1:9443/b')).toContain(
      'Everybody in #general will be able to ask for it.',
    );
    await line("wasn't learned: I only fetch public addresses, and only by https.");
    for (const link of [
      'https://ana:secret@example.com/a',
      '<https://secret@example.com/a|the page> for everybody',
    ])
      expect(await answerOf(driver, ana, `/countersign learn ${link}`, ana.dmChannel)).toContain(
        'There is a user name or a password in this link, so it was neither fetched nor kept',
      );
    const kept = await app.inStore((store) => store.query(brought, 'byFile', {}, 10));
    const due = await app.inStore((store) => store.query(brought, 'byOpen', {}, 10));
    expect(JSON.stringify([kept, due, app.logged])).not.toContain('secret');
  });

  it('stand in the Home of whoever can ask for them, and their owner forgets them there', async () => {
    const { driver, line } = await openForFiles();
    const [ana, bob] = [driver.as('ana'), driver.as('bob')];
    expect(driver.text(await bob.openHome())).not.toContain('Documents');
    bob.post('general', '@countersign', { files: FILES });
    await line('ready');
    const ofBob = await bob.openHome();
    expect(driver.text(ofBob)).toContain('Q3 report.pdf');
    expect(driver.text(ofBob)).toContain('1 page, 1 passage · everybody in #general');
    // Who is in the channel can ask for it in their direct messages, too.
    const home = async () => driver.text(await ana.openHome());
    const said = () => answerOf(driver, ana, '/countersign documents', ana.dmChannel);
    const report = '1 page, 1 passage · everybody in #general';
    // Slack may take too long to be waited for.
    await expect.poll(home, { timeout: 20_000 }).toContain(report);
    expect(await said()).toContain(report);
    driver.kick('general', 'ana');
    for (const listed of [await home(), await said()]) expect(listed).not.toContain('Q3 report.pdf');
    await bob.useElement('Forget', undefined, ofBob);
    await line('Q3 report.pdf: forgotten.');
    await driver.waitUntil(() => !driver.text(bob.home() ?? ofBob).includes('Q3 report.pdf'));
  });
});
