import { join } from 'node:path';
import { TEAM } from '@countersign/slack-emulator';
import { describe, expect, it } from 'vitest';
import { channelReader, EVERYBODY, personReader } from '../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 180_000;
const NOT_HERE = 'Documents that not everybody here may read are not searched here';
const OPS = 'C0OPS00001';

interface Given {
  readonly name: string;
  readonly text: string;
  readonly owner: string | null;
  readonly reader: string;
}

/** The app with documents, and people who ask about them in Slack. */
async function open(documents: readonly Given[]) {
  const { app, model, driver } = await startAppWithModel({
    file: {
      policy: {
        rules: [
          { tools: ['documents.search_*', 'documents.list_*', 'documents.read_*'], action: 'allow' },
          { tools: 'documents.*share_document', action: 'ask', approvers: 'requester' },
        ],
      },
      mcpServers: { documents: { in_process: 'documents' } },
      knowledge: { folders: [temporaryFolder()] },
    },
  });
  await app.pass(0);
  const index = openDocumentIndex(join(app.dataDir, 'documents.db'));
  for (const document of documents) await index.put(toRecord(document), [toPassage(document)]);
  await index.close();
  const names = { ana: driver.as('ana'), bob: driver.as('bob') };
  /** What the model hears that calls a tool because of what somebody writes. */
  async function ask(who: keyof typeof names, where: string, tool: string, args: Record<string, string>) {
    if (where === 'dm') names[who].dm('look it up');
    else names[who].post(where, '@countersign look it up');
    await model.calls([{ name: `documents__${tool}`, arguments: args }]);
    const heard = await model.heard();
    await model.says('Done.');
    return heard;
  }
  return { app, model, driver, ask, ...names };
}

function toRecord({ name, owner, reader }: Given) {
  const about = { origin: 'slack', kind: 'text', link: null, title: null, description: null, pages: null };
  const version = {
    hash: name,
    version: name,
    passages: 1,
    problem: null,
    learnedAt: 1_000,
    changedAt: null,
  };
  return { ...about, ...version, id: name, name, owner, readers: [reader] };
}

function toPassage({ text }: Given) {
  return { page: null, section: '', text };
}

const actor = (user: string) => `slack:${TEAM.id}:${user}`;

describe.skipIf(ON_REDIS)('who finds which documents', { timeout: SLOW }, () => {
  it('is their owner in a direct message, and the channel once the owner has shared them on a card', async () => {
    const id = actor('U0ANA00001');
    const { app, model, driver, ask, ana } = await open([
      { name: 'offer.txt', text: 'The offer is 40 thousand euros.', owner: id, reader: personReader(id) },
      { name: 'handbook.txt', text: 'An offer needs two signatures.', owner: null, reader: EVERYBODY },
    ]);
    const search = { query: 'offer' };
    expect(await ask('ana', 'general', 'search_documents', search)).not.toContain('40 thousand');
    expect(await ask('ana', 'dm', 'search_documents', search)).toContain('40 thousand');
    expect(await ask('bob', 'dm', 'search_documents', search)).not.toContain('40 thousand');
    expect(await ask('ana', 'general', 'search_documents', { query: 'thousand' })).toContain(NOT_HERE);

    ana.post('general', '@countersign share the offer here');
    await model.calls([{ name: 'documents__share_document', arguments: { name: 'offer.txt' } }]);
    const card = await driver.waitForMessage((message) => driver.text(message).includes('offer.txt'));
    await expect(driver.as('bob').click(card, 'Approve')).resolves.toBeUndefined();
    expect(await ask('bob', 'general', 'search_documents', search)).not.toContain('40 thousand');
    await ana.click(card, 'Approve');
    expect(await model.heard()).toContain('Answers in this channel may cite offer.txt from now on.');
    await model.says('Shared.');
    const shared = await ask('bob', 'general', 'search_documents', search);
    expect(shared).toContain('The offer is 40 thousand euros.');
    expect(shared).toContain('two signatures');
    expect(await ask('bob', 'ops', 'search_documents', search)).not.toContain('40 thousand');
    await app.restart();
    expect(await ask('bob', 'general', 'search_documents', search)).toContain('40 thousand');
  });

  it('are those who are in its channel at the moment', async () => {
    const reader = channelReader(`slack:${TEAM.id}:${OPS}`);
    const text = 'Salaries rise by 3 percent.';
    const { driver, ask } = await open([{ name: 'pay.txt', text, owner: actor('U0ANA00001'), reader }]);
    const search = { query: 'salaries' };
    driver.kick('ops', 'bob');
    expect(await ask('bob', 'dm', 'search_documents', search)).not.toContain('percent');
    driver.invite('ops', 'bob');
    expect(await ask('bob', 'dm', 'search_documents', search)).toContain(text);
    expect(await ask('bob', 'ops', 'search_documents', search)).toContain(text);
    expect(await ask('bob', 'general', 'search_documents', search)).not.toContain('percent');
    driver.kick('ops', 'bob');
    expect(await ask('bob', 'dm', 'search_documents', search)).not.toContain('percent');
  });

  it('is nobody of another organisation, nor a channel that one of them is in; and it is said what Slack cannot say', async () => {
    const { driver, ask } = await open([
      { name: 'prices.txt', text: 'The discount is 12 percent.', owner: null, reader: EVERYBODY },
    ]);
    const search = { query: 'discount' };
    expect(await ask('ana', 'ops', 'search_documents', search)).toContain('12 percent');
    driver.setUser('bob', { teamId: 'T0ELSEWHERE' });
    const shared = await ask('ana', 'ops', 'search_documents', search);
    expect(shared).toContain('not searched where people of other organisations read');
    expect(shared).not.toContain('12 percent');
    expect(await ask('bob', 'dm', 'search_documents', search)).not.toContain('12 percent');
    expect(await ask('ana', 'dm', 'search_documents', search)).toContain('12 percent');
    driver.setUser('bob', { teamId: TEAM.id });
    driver.fault({
      method: 'conversations.info',
      channel: OPS,
      kind: 'error',
      error: 'fatal_error',
      times: 99,
    });
    const unsure = await ask('ana', 'ops', 'search_documents', search);
    expect(unsure).toContain("can't be checked now, so only those of this channel were searched");
    expect(unsure).not.toContain('12 percent');
  });
});
