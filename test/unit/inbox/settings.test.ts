import { describe, expect, it } from 'vitest';
import type { MailboxRecord } from '../../../src/inbox/collections.ts';
import { undoSetting, withSettings } from '../../../src/inbox/settings.ts';
import { ana } from '../../helpers/people.ts';

const RECORD: MailboxRecord = {
  ...{ owner: ana, server: 'mail', isOn: true, pace: 'hourly', timeZone: 'UTC', problem: null },
  ...{ background: '', rules: '', createdAt: 0, changes: [] },
};

function at(now: number) {
  let count = 0;
  const ids = () => {
    count += 1;
    return `${now}-${count}`;
  };
  return { now, ids };
}

describe('what people say of a mailbox', () => {
  it('is kept with what it was before', () => {
    const once = withSettings(RECORD, { rules: 'News: ignore' }, at(1));
    const { rules, background, changes } = withSettings(
      once,
      { rules: '', background: 'I sell boats' },
      at(2),
    );
    expect({ rules, background }).toEqual({ rules: '', background: 'I sell boats' });
    expect(changes).toEqual([
      { id: '2-1', at: 2, kind: 'rules', before: 'News: ignore', after: '', why: 'person', isUndone: false },
      {
        id: '2-2',
        at: 2,
        kind: 'background',
        before: '',
        after: 'I sell boats',
        why: 'person',
        isUndone: false,
      },
      { id: '1-1', at: 1, kind: 'rules', before: '', after: 'News: ignore', why: 'person', isUndone: false },
    ]);
  });

  it('is no change where it stays as it is', () => {
    const once = withSettings(RECORD, { rules: 'News: ignore' }, at(1));
    expect(withSettings(once, { rules: 'News: ignore', background: '' }, at(2))).toEqual(once);
    expect(withSettings(once, {}, at(2))).toEqual(once);
  });

  it('is taken back once, and only while it is as that left it', () => {
    const once = withSettings(RECORD, { rules: 'a' }, at(1));
    const twice = withSettings(once, { rules: 'a\nb' }, at(2));
    expect(undoSetting(twice, '1-1', at(3))).toBeNull();
    const undone = undoSetting(twice, '2-1', at(3));
    expect(undone).toMatchObject({
      rules: 'a',
      changes: [{ why: 'undo' }, { isUndone: true }, { id: '1-1' }],
    });
    expect(undone && undoSetting(undone, '2-1', at(4))).toBeNull();
    expect(undone && undoSetting(undone, '1-1', at(4))).toMatchObject({ rules: '' });
    expect(undoSetting(twice, 'nothing', at(3))).toBeNull();
  });

  it('keeps the newest of many changes, and few where they are long', () => {
    let [short, long] = [RECORD, RECORD];
    for (let index = 0; index < 100; index += 1) {
      short = withSettings(short, { rules: `${index}` }, at(index));
      long = withSettings(long, { rules: `${index}`.padEnd(4_000, 'x') }, at(index));
    }
    expect(short.changes).toHaveLength(40);
    expect(short.changes[0]).toMatchObject({ after: '99' });
    expect(JSON.stringify(long.changes).length).toBeLessThan(45_000);
    expect(long.changes[0]?.after).toMatch(/^99x/);
  });
});
