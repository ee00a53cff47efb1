import { expect, it } from 'vitest';
import type { Standing } from '../../../../src/gate/types.ts';
import type { DocumentRecord } from '../../../../src/knowledge/index.ts';
import { createDocumentLists } from '../../../../src/slack/documents/document-lists.ts';

const [ANA, HERE, THERE] = ['slack:T1:U1', 'channel:slack:T1:CHERE', 'channel:slack:T1:CTHERE'];

function record(name: string, readers: readonly string[], owner: string | null = null): DocumentRecord {
  const nothing = { link: null, title: null, description: null, pages: null, problem: null, changedAt: null };
  const about = {
    id: name,
    origin: 'slack',
    kind: 'text',
    hash: name,
    version: '1',
    passages: 1,
    learnedAt: 0,
  };
  return { ...nothing, ...about, name, readers: [...readers], owner };
}

const DOCUMENTS = [
  record('all.txt', ['workspace']),
  record('both.txt', [THERE, HERE]),
  record('mine.txt', [THERE], ANA),
  record('shared.txt', [THERE]),
];

function openLists(standing: () => Promise<Standing>, { isOpened = true } = {}) {
  const listFor = async (readers: readonly string[]) =>
    DOCUMENTS.filter((one) =>
      [...one.readers, ...(one.name === 'shared.txt' ? [HERE] : [])].some((it) => readers.includes(it)),
    );
  const none = async () => {
    throw new Error('not asked');
  };
  const open = isOpened
    ? async () => ({
        listFor,
        get: none,
        give: none,
        findRoom: none,
        forgetById: none,
        expect: () => undefined,
      })
    : none;
  return createDocumentLists({
    files: { placesOf: async () => [THERE] },
    documents: { open, opened: () => (isOpened ? open() : null) },
    directory: { channelName: async (channel: string) => `#${channel}` },
    people: { standing },
  });
}

/** The names of documents that Ana sees here, with who can ask for each. `shared.txt` is shared here. */
async function listed(standing: () => Promise<Standing>): Promise<readonly string[]> {
  const { documents } = await openLists(standing).list(ANA, { readers: [HERE], most: 10 });
  return documents.map(
    ({ name, reader }) => `${name}: ${reader.kind === 'channel' ? reader.name : reader.kind}`,
  );
}

const OF_HERE = ['mine.txt: #CTHERE', 'both.txt: #CHERE', 'shared.txt: #CHERE'];

it('lists documents with the reader by whom somebody can ask for them, and names no channel of others', async () => {
  expect(await listed(async () => 'member')).toEqual([...OF_HERE, 'all.txt: everybody']);
});

it('lists what is for everybody in the workspace to its people alone', async () => {
  expect(await listed(async () => 'stranger')).toEqual(OF_HERE);
  expect(await listed(() => Promise.reject(new Error('Slack is away')))).toEqual(OF_HERE);
});

it('lists in a Home what has been learned, and begins no learning for it', async () => {
  const home = (isOpened: boolean) => openLists(async () => 'member', { isOpened }).forHome(ANA, 2);
  expect(await home(true)).toMatchObject({
    documents: [{ name: 'mine.txt' }, { name: 'all.txt' }],
    more: 0,
  });
  expect(await home(false)).toEqual({ documents: [], more: 0 });
});
