import { describe, expect, it } from 'vitest';
import { BLANK, type MemoryRecord } from '../../../src/memory/collections.ts';
import type { Learned } from '../../../src/memory/extract.ts';
import { change, forget, forgetAll, mayLearn, recall, remember, turn } from '../../../src/memory/remember.ts';

const LAB = 'slack:T1:C1';
let ids = 0;

const fact = (key: Learned['key'], text: string): Learned => ({ kind: 'critical_fact', key, text });
const preference = (key: Learned['key'], text: string): Learned => ({ kind: 'preference', key, text });

function learn(
  record: MemoryRecord,
  learned: readonly Learned[],
  {
    at = ++ids,
    place = null,
    messageId = `m${at}`,
  }: { at?: number; place?: string | null; messageId?: string } = {},
) {
  return remember(record, learned, { at, place, messageId }, () => `i${++ids}`);
}

function known(...learned: readonly Learned[]): MemoryRecord {
  return learned.reduce((record, one) => learn(record, [one]).record, BLANK);
}

const texts = ({ items }: MemoryRecord) => items.map(({ text }) => text);

describe('what is learned', () => {
  it('takes the place of what its key had', () => {
    const { record, added } = learn(known(fact('company_name', 'Acme')), [fact('company_name', 'Globex')]);
    expect(texts(record)).toEqual(['Globex']);
    expect(added).toHaveLength(1);
  });

  it('changes nothing where the same is known, however it is written', () => {
    const before = known(fact('company_name', 'Acme Corp'));
    expect(learn(before, [fact('company_name', 'acme  CORP')])).toEqual({ record: before, added: [] });
  });

  it('yields to what was said later, whichever was read first', () => {
    const { record } = learn(BLANK, [preference('tone', 'formal')], { at: 5 });
    expect(texts(learn(record, [preference('tone', 'casual')], { at: 4 }).record)).toEqual(['formal']);
  });

  it('is beside each other for projects, the newest five, and for what fits no key', () => {
    const projects = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => fact('recent_projects', text));
    const record = known(...projects, fact('other', 'x'), fact('other', 'y'));
    expect(texts(record)).toEqual(['y', 'x', 'f', 'e', 'd', 'c', 'b']);
  });

  it('is the newest fifty', () => {
    const record = known(...Array.from({ length: 60 }, (_, index) => fact('other', `n${index}`)));
    expect(record.items).toHaveLength(50);
    expect(texts(record).at(-1)).toBe('n10');
  });
});

describe('a message', () => {
  it('teaches nothing more once something of it was forgotten, or changed', () => {
    const { record } = learn(BLANK, [fact('other', 'a'), fact('other', 'b')], { at: 1, messageId: 'm' });
    const [first, second] = record.items;
    const forgotten = forget(record, first?.id ?? '') ?? record;
    expect(texts(forgotten)).toHaveLength(1);
    expect(mayLearn(forgotten, { messageId: 'm', at: 9 })).toBe(false);
    expect(mayLearn(forgotten, { messageId: 'another', at: 9 })).toBe(true);
    const changed = change(record, second?.id ?? '', 'c', 5) ?? record;
    expect(changed.items[0]).toMatchObject({ text: 'c', learnedAt: 5 });
    expect(mayLearn(changed, { messageId: 'm', at: 9 })).toBe(false);
  });

  it('teaches nothing once all of it was forgotten, also where it was worked on again later', () => {
    const { record } = learn(BLANK, [fact('other', 'a')], { at: 1, messageId: 'm' });
    const empty = forgetAll(record, 5);
    expect(empty.items).toEqual([]);
    expect(mayLearn(empty, { messageId: 'still read', at: 5 })).toBe(false);
    expect(mayLearn(empty, { messageId: 'm', at: 9 })).toBe(false);
    expect(mayLearn(empty, { messageId: 'new', at: 6 })).toBe(true);
  });

  it('teaches nothing while it is off, nor afterwards what was said meanwhile', () => {
    const off = turn(BLANK, false, 5);
    expect(mayLearn(off, { messageId: 'm', at: 6 })).toBe(false);
    const on = turn(off, true, 8);
    expect(mayLearn(on, { messageId: 'm', at: 7 })).toBe(false);
    expect(mayLearn(on, { messageId: 'm', at: 9 })).toBe(true);
    // Turning on what is on loses nothing.
    expect(turn(on, true, 20)).toBe(on);
  });

  it('can’t be changed or forgotten twice', () => {
    expect(forget(BLANK, 'i')).toBeNull();
    expect(change(BLANK, 'i', 'x', 1)).toBeNull();
  });
});

describe('what is told', () => {
  const record = [
    { learned: fact('user_name', 'Ana'), place: null },
    { learned: fact('recent_projects', 'merger'), place: null },
    { learned: fact('recent_projects', 'search'), place: LAB },
    { learned: preference('tone', 'casual'), place: null },
    { learned: preference('other', 'no jargon'), place: null },
  ].reduce((before, { learned, place }) => learn(before, [learned], { place }).record, BLANK);

  it('is all of it in direct messages', () => {
    expect(recall(record, null)).toEqual({
      critical_facts: { user_name: 'Ana', recent_projects: ['search', 'merger'] },
      preferences: { tone: 'casual', other: ['no jargon'] },
    });
  });

  it('is what was said there in a channel, and how answers are worded', () => {
    expect(recall(record, LAB)).toEqual({
      critical_facts: { recent_projects: ['search'] },
      preferences: { tone: 'casual' },
    });
    expect(recall(record, 'slack:T1:C2')).toEqual({ critical_facts: {}, preferences: { tone: 'casual' } });
  });

  it('is nothing where there is nothing', () => {
    expect(recall(BLANK, null)).toBeNull();
    expect(recall(known(fact('other', 'x')), LAB)).toBeNull();
  });

  it('is at most 4,000 characters, the newest first', () => {
    const long = known(
      ...Array.from({ length: 40 }, (_, index) => fact('other', `${index} ${'x'.repeat(190)}`)),
    );
    const told = JSON.stringify(recall(long, null));
    expect(told.length).toBeLessThan(4_300);
    expect(told).toContain('"39 x');
  });
});
