import { expect, it } from 'vitest';
import type { Standing } from '../../../../src/gate/types.ts';
import type { DocumentRecord } from '../../../../src/knowledge/index.ts';
import { documentList } from '../../../../src/slack/documents/document-blocks.ts';
import { createDocumentLists, type DocumentList } from '../../../../src/slack/documents/document-lists.ts';

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

interface World {
  readonly standing?: () => Promise<Standing>;
  /** The channels that Ana is in; null where Slack doesn't say. */
  readonly channels?: readonly string[] | null;
  readonly isOpened?: boolean;
  readonly room?: number;
}

/** `shared.txt` is shared with {@link HERE}. */
function openLists({ standing = async () => 'member', channels = [], isOpened = true, room = 1 }: World) {
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
        find: none,
        countEmptyPages: none,
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
    audience: {
      listChannels: async () => {
        if (channels === null) throw new Error('Slack is away');
        return { ids: channels.map((it) => it.replace('channel:', '')), isCut: false };
      },
    },
    room: () => room,
  });
}

function named({ documents }: DocumentList): readonly string[] {
  return documents.map(
    ({ name, reader }) => `${name}: ${reader.kind === 'channel' ? reader.name : reader.kind}`,
  );
}

const HERE_ALONE = { channel: HERE, most: 10 };
const MINE = 'mine.txt: #CTHERE';
const OF_HERE = [MINE, 'both.txt: #CHERE', 'shared.txt: #CHERE'];
const IN_NO_CHANNEL = [MINE, 'all.txt: everybody'];

it('lists documents with the reader by whom somebody can ask for them, and names no channel of others', async () => {
  const lists = openLists({ channels: null });
  expect(named(await lists.list(ANA, HERE_ALONE))).toEqual([...OF_HERE.slice(1), 'all.txt: everybody', MINE]);
});

it('lists what is for everybody in the workspace to its people alone', async () => {
  const standings = [async () => 'stranger' as const, () => Promise.reject(new Error('Slack is away'))];
  for (const standing of standings)
    expect(named(await openLists({ standing }).list(ANA, HERE_ALONE))).toEqual([...OF_HERE.slice(1), MINE]);
});

it('lists in a channel one’s own that not everybody there may read last, as what can’t be asked for there', async () => {
  const inChannel = await openLists({}).list(ANA, HERE_ALONE);
  expect(inChannel.documents.map(({ name, isHere }) => (isHere ? name : `(${name})`)).join(' ')).toBe(
    'both.txt shared.txt all.txt (mine.txt)',
  );
  const said = JSON.stringify(documentList(inChannel));
  expect(said).toContain(
    'You can ask for 3 documents here. You can’t ask for 1 of yours here, but in direct messages',
  );
  expect(said).toContain('everybody in #CTHERE, not here');
  // One that is shared with the channel can be asked for there, whoever's it is.
  const ofBoth = await openLists({}).list(ANA, { channel: THERE, most: 1 });
  expect(ofBoth).toMatchObject({ documents: [{ name: 'mine.txt', isHere: true }], here: 4, more: 3 });
  const direct = JSON.stringify(documentList(await openLists({}).list(ANA, { most: 10 })));
  expect(direct).toContain('You can ask for 2 documents here."');
});

it('lists outside of channels those of all that somebody is in now, and of no others', async () => {
  const listed = async (channels: readonly string[] | null) => {
    const lists = openLists({ channels });
    const [anywhere, home] = [await lists.list(ANA, { most: 10 }), await lists.forHome(ANA, 10)];
    expect(home).toEqual(anywhere);
    expect(anywhere.isPart).toBe(channels === null);
    return named(anywhere);
  };
  expect(await listed([])).toEqual(IN_NO_CHANNEL);
  expect(await listed([HERE])).toEqual([...OF_HERE, 'all.txt: everybody']);
  // By which one somebody can ask for what is shared isn't known where there are several.
  expect(await listed([HERE, 'channel:slack:T1:CELSE'])).toEqual([
    ...OF_HERE.slice(0, 2),
    'shared.txt: one of your channels',
    'all.txt: everybody',
  ]);
  expect(await listed(null)).toEqual(IN_NO_CHANNEL);
});

it('leaves channels out of a Home where questions need the room to ask for them', async () => {
  const home = await openLists({ channels: [HERE], room: 0.4 }).forHome(ANA, 10);
  expect(home && named(home)).toEqual(IN_NO_CHANNEL);
  expect(home?.isPart).toBe(true);
});

it('lists in a Home what has been learned, and begins no learning for it', async () => {
  const home = (isOpened: boolean) => openLists({ isOpened }).forHome(ANA, 1);
  expect(await home(true)).toMatchObject({ documents: [{ name: 'mine.txt' }], more: 1 });
  expect(await home(false)).toEqual({ documents: [], more: 0, here: 0, isPart: false });
});
