import type { DocumentIndex } from '../../src/storage/documents/index.ts';
import { openIndexFile } from '../../src/storage/documents/index-file.ts';
import { createPower } from './power.ts';

/** The index in a file, without the thread that it has elsewhere, as a process sees it that may lose its power. */
export function openIndexHere(path: string, power = createPower()): DocumentIndex {
  const file = openIndexFile(path);
  const read =
    <A extends readonly unknown[], R>(ask: (...args: A) => R) =>
    (...args: A) =>
      power.read(async () => ask(...args));
  const write =
    <A extends readonly unknown[], R>(change: (...args: A) => R) =>
    (...args: A) =>
      power.write('commit', {}, async () => change(...args));
  return {
    get: read(file.get),
    list: read(file.list),
    listFor: read(file.listFor),
    find: read(file.find),
    findNear: read(file.findNear),
    withoutVector: read(file.withoutVector),
    countVectors: read(file.countVectors),
    read: read(file.read),
    waiting: read(file.waiting),
    given: read(file.given),
    content: read(file.content),
    kept: read(file.kept),
    put: write(file.put),
    putGiven: write(file.putGiven),
    remove: write(file.remove),
    admit: write(file.admit),
    share: write(file.share),
    unshare: write(file.unshare),
    putVectors: write(file.putVectors),
    keepOnlyVectors: write(file.keepOnlyVectors),
    describe: write(file.describe),
    keep: write(file.keep),
    told: write(file.told),
    erase: write(file.erase),
    tidy: async () => undefined,
    close: async () => file.close(),
  };
}
