import { createHash } from 'node:crypto';
import { z } from 'zod';
import { quote, readRows, retrying } from './lance-query.ts';
import { CONTENT, createTidying, type LanceTables } from './lance-tables.ts';
import { type DocumentIndex, type DocumentRecord, givenSchema, keptSchema, toKept } from './records.ts';

const keptRow = z.object({
  id: z.string(),
  version: z.string(),
  told: z.string().nullable(),
  given: z.string().transform((json) =>
    // With the name of the table that has its content, and how many bytes that has.
    givenSchema.extend({ content: z.string(), bytes: z.number() }).parse(JSON.parse(json)),
  ),
});

interface GivenPorts {
  /** The documents that are learned. */
  readonly records: (where: string) => Promise<readonly DocumentRecord[]>;
  readonly ids: () => string;
}

/** Documents that were given, and their contents. */
export function givenDocuments({ given: table, ...contents }: LanceTables, { records, ids }: GivenPorts) {
  const tidying = createTidying(table);
  /** Names of contents that nothing referred to as they were looked at last. */
  let unused: ReadonlySet<string> = new Set();
  const rows = (where: string) => readRows(z.array(keptRow), () => table.query().where(where).toArray());
  const find = async (id: string) => (await rows(`id = ${quote(id)}`))[0] ?? null;
  const drop = (name: string) => retrying(() => contents.dropContent(name));
  return {
    given: async (id) => givenSchema.nullable().parse((await find(id))?.given ?? null),
    async keep(given, content) {
      const before = (await find(given.id))?.given ?? null;
      const kept = toKept(given, before);
      if (kept === null) return false;
      const { id, version } = kept;
      const name = contentName(id, ids());
      await retrying(() => contents.keepContent(name, content));
      const about = JSON.stringify({ ...kept, content: name, bytes: content.byteLength });
      const row = { id, version, told: null, given: about };
      const at = kept.changedAt ?? 0;
      await retrying(() =>
        table
          .mergeInsert('id')
          // Another process may have been given something meanwhile.
          .whenMatchedUpdateAll({ where: 'target.at <= source.at' })
          .whenNotMatchedInsertAll()
          .execute([{ ...row, at }]),
      );
      tidying.changed();
      const now = (await find(id))?.given ?? null;
      if (before !== null && before.content !== now?.content) await drop(before.content);
      if (now?.content !== name) await drop(name);
      return toKept(kept, now) !== null;
    },
    async waiting() {
      const kept = await rows('true');
      const learned = new Map((await records('true')).map(({ id, version }) => [id, version]));
      return kept
        .filter(({ id, version, told }) => told !== version || learned.get(id) !== version)
        .toSorted((one, other) => (one.given.changedAt ?? 0) - (other.given.changedAt ?? 0))
        .map(({ given, version, told }) => ({ given: givenSchema.parse(given), isTold: told === version }));
    },
    async content(id, version) {
      const kept = await find(id);
      return kept?.version === version ? retrying(() => contents.content(kept.given.content)) : null;
    },
    async kept() {
      const kept = await rows('true');
      const isUnread = findUnread(await records('true'));
      return kept.map((row) => keptSchema.parse({ ...row.given, isUnread: isUnread(row) }));
    },
    async told(id, version) {
      await retrying(() =>
        table.update({
          where: `id = ${quote(id)} AND version = ${quote(version)}`,
          values: { told: version },
        }),
      );
      tidying.changed();
    },
    /** Removes what is kept of a document; with a `hash`, only of this content. */
    async removeKept(id: string, hash?: string): Promise<void> {
      const kept = await find(id);
      if (kept === null || (hash !== undefined && kept.given.hash !== hash)) return;
      const is = `id = ${quote(id)} AND given LIKE ${quote(`%${kept.given.content}%`)}`;
      await retrying(() => table.delete(is));
      await drop(kept.given.content);
      tidying.changed();
    },
    /** The ids of all that is kept. */
    keptIds: async () => new Set((await rows('true')).map(({ id }) => id)),
    /** Removes contents that nothing has referred to since the last time: what is being kept gets its row in a moment. */
    async tidyContents() {
      const names = await retrying(contents.contentNames);
      const used = new Set((await rows('true')).map(({ given }) => given.content));
      const now = names.filter((name) => !used.has(name));
      for (const name of now) if (unused.has(name)) await drop(name);
      unused = new Set(now);
    },
  } satisfies Partial<DocumentIndex> & Record<string, unknown>;
}

type Version = Pick<DocumentRecord, 'id' | 'version'>;

/** Tells of versions of documents whether they can't be read. */
function findUnread(learned: readonly DocumentRecord[]): (version: Version) => boolean {
  const toName = ({ id, version }: Version) => `${id} ${version}`;
  const unread = new Set(learned.filter(({ problem }) => problem !== null).map(toName));
  return (version) => unread.has(toName(version));
}

/** The name of a table for a content of a document, which no other has. */
function contentName(id: string, own: string): string {
  const hash = (of: string) => createHash('sha256').update(of).digest('hex').slice(0, 32);
  return `${CONTENT}${hash(id)}-${hash(own)}`;
}
