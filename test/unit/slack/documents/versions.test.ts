import { describe, expect, it } from 'vitest';
import { openGivenFiles, type Round } from '../../../helpers/given-files.ts';

const SLOW = 120_000;
const APPLES = { name: 'fruit.txt', content: 'apples are red' };
const PEARS = { name: 'fruit.txt', content: 'pears are yellow' };
const REPLACED = 'fruit.txt: a newer version has taken its place.';

async function open(): Promise<Round> {
  const begin = await openGivenFiles();
  const round = begin();
  round.remote.set('F1', APPLES).set('F2', PEARS).set('F3', APPLES);
  return round;
}

const found = async (round: Round) => (await round.look('apples', 'pears')).found;

const state = async (round: Round, id: string) => (await round.files.findBy('byFile', id))[0]?.state;

describe('files of one name', { timeout: SLOW }, () => {
  it('that come faster than they are learned leave what came last, which its line says', async () => {
    const round = await open();
    await round.during(async (process) => {
      for (const [number, id] of ['F1', 'F2', 'F3'].entries()) await process.drop(number, id);
    });
    expect(await found(round)).toEqual(['apples are red']);
    expect([await state(round, 'F2'), await state(round, 'F3')]).toEqual(['replaced', 'ready']);
    const { lines } = round.said();
    expect(lines).toHaveLength(3);
    expect(lines).toContain(REPLACED);
  });

  it('leave what came last, also where an older one could only be fetched later', async () => {
    const round = await open();
    await round.during(async (process) => {
      round.failing.add('F1');
      await process.drop(1, 'F1');
      await process.drop(2, 'F2');
      await expect.poll(() => found(round), { timeout: 20_000 }).toEqual(['pears are yellow']);
      round.failing.delete('F1');
    });
    expect(await found(round)).toEqual(['pears are yellow']);
    expect(round.said().lines).toEqual([REPLACED, expect.stringContaining('1 passage, ready.')]);
  });

  it('stay as long as one of them may be in Slack, and Slack doesn’t say that it has gone', async () => {
    const round = await open();
    await round.during((process) => process.drop(1, 'F1'));
    await round.during((process) => process.drop(2, 'F3'));
    await round.during(async (process) => {
      round.failing.add('F3');
      await process.intake.fileDeleted('F1');
    });
    expect(await found(round)).toEqual(['apples are red']);
    expect(round.said().lines).toEqual([
      expect.stringContaining('forgotten'),
      expect.stringContaining('1 passage, ready.'),
    ]);
    await round.during((process) => process.intake.fileDeleted('F3'));
    expect(await found(round)).toEqual([]);
  });

  it('are fetched again where what was given isn’t there any more', async () => {
    const round = await open();
    await round.during((process) => process.drop(1, 'F1'));
    const [file] = await round.files.findBy('byFile', 'F1');
    if (file === undefined) throw new Error('it isn’t on record');
    await round.during(async (process) => {
      await process.lose(file.documentId);
      await round.files.change(file, (it) => ({ ...it, state: 'learning' }));
    });
    expect(await found(round)).toEqual(['apples are red']);
    expect(round.said().lines).toEqual([expect.stringContaining('1 passage, ready.')]);
  });

  it('stay as they were learned where there’s no room for what they are changed into', async () => {
    const round = await open();
    await round.during((process) => process.drop(1, 'F1'));
    round.limit.bytes = APPLES.content.length;
    await round.during(async (process) => {
      process.edit('F1', 'apples are red, and pears are yellow');
      await process.intake.fileChanged('F1');
    });
    expect(await found(round)).toEqual(['apples are red']);
    expect(round.said().lines).toEqual([expect.stringContaining('1 passage, ready.')]);
    await round.during((process) => process.intake.fileDeleted('F1'));
    expect(await found(round)).toEqual([]);
  });
});
