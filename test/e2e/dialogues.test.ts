import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readDialogues } from '../helpers/dialogue.ts';
import { describeDialogues, KINDS } from '../helpers/dialogue-suite.ts';
import { ON_REDIS } from '../helpers/storage.ts';

// On SQLite all of them are performed, which takes longest of all files: the others have the rest.
describeDialogues({ part: 1, of: ON_REDIS ? 1 : 3 });

describe('reading a dialogue', () => {
  it.each([
    ['steps: [ana dances]', 'wrong.yaml, step 1 (ana dances): no such step'],
    ['steps: [{ ana says: hi }, { carol says: { text: hi } }]', 'wrong.yaml, step 2 (carol says): ✖'],
    ['steps: [nothing ran, { nothing ran: 1 }]', 'wrong.yaml, step 2 (nothing ran): ✖'],
    ['steps: [nothing ran]\nsetpu: {}', 'wrong.yaml: ✖ Unrecognized key: "setpu"'],
  ])('fails loudly, with file and step: %s', async (yaml, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-dialogues-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'wrong.yaml'), `title: Wrong\n${yaml}\n`);
    expect(() => readDialogues(folder, KINDS)).toThrow(message);
  });
});
