import { expect, it } from 'vitest';
import { learned, notLearned, SAID } from '../../../src/knowledge/texts.ts';

it.each(['\n', '\u0085', '\u2028', '\u001b[1m', '\u009b', ' \u00a0 \r\n'])(
  'a name with %j in it is on one line with what is said of it',
  (odd) => {
    const name = `a${odd}b.txt`;
    const place = { kind: 'text', page: null, section: `one${odd}two`, place: 1 };
    const said = [
      learned({ name, pages: null, emptyPages: 0, passages: 1 }),
      notLearned(name, 'broken'),
      SAID.source(1, { ...place, name, link: null }),
      SAID.section({ place: 1, from: 1, to: 2 }),
      SAID.read({ name, from: 1, to: 1, all: 1 }),
      SAID.which({ name, which: 1, all: 2 }),
      SAID.unreadable(name, 'broken'),
      SAID.shared(name),
      SAID.unshared(name),
      SAID.onlyByOwner(name),
      SAID.severalOfName(name),
      SAID.ofThisChannel(name),
    ];
    for (const words of said) expect(words).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u00a0]/u);
  },
);
