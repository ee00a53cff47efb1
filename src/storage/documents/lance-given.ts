import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { quote, readRows, retrying } from './lance-query.ts';
import { createTidying, type LanceTables } from './lance-tables.ts';
import { type DocumentIndex, type DocumentRecord, givenSchema, keptSchema } from './records.ts';

const givenRow = z.object({
  id: z.string(),
  version: z.string(),
  told: z.string().nullable(),
  given: z.string(),
  at: z.number(),
});

/** Documents that were given, and their contents. */
export function givenDocuments(
  { given: table, ...contents }: LanceTables,
  records: (where: string) => Promise<readonly DocumentRecord[]>,
  clock: Clock,
): Pick<DocumentIndex, 'keep' | 'waiting' | 'content' | 'kept' | 'told'> {
  const tidying = createTidying(table);
  const rows = (where: string) => readRows(z.array(givenRow), () => table.query().where(where).toArray());
  return {
    async keep(given, content) {
      const { id, version } = given;
      const before = (await rows(`id = ${quote(id)}`))[0];
      const told = before?.version === version ? before.told : null;
      const name = contentName(id, version);
      await retrying(() => contents.keepContent(name, content));
      const about = JSON.stringify({ ...given, bytes: content.byteLength });
      const row = { id, version, told, given: about, at: clock() };
      await retrying(() =>
        table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute([row]),
      );
      await retrying(() => contents.dropContents(contentName(id), name));
      tidying.changed();
    },
    async waiting() {
      const kept = await rows('true');
      const learned = new Map((await records('true')).map(({ id, version }) => [id, version]));
      return kept
        .filter(({ id, version, told }) => told !== version || learned.get(id) !== version)
        .toSorted((one, other) => one.at - other.at)
        .map(({ given, version, told }) => ({
          given: givenSchema.parse(JSON.parse(given)),
          isTold: told === version,
        }));
    },
    async content(id) {
      const kept = (await rows(`id = ${quote(id)}`))[0];
      return kept ? retrying(() => contents.content(contentName(id, kept.version))) : null;
    },
    kept: async () => (await rows('true')).map(({ given }) => keptSchema.parse(JSON.parse(given))),
    async told(id, version) {
      await retrying(() =>
        table.update({
          where: `id = ${quote(id)} AND version = ${quote(version)}`,
          values: { told: version },
        }),
      );
      tidying.changed();
    },
  };
}

/** What the tables of a document's contents begin with, or the name of that of a version. */
export function contentName(id: string, version?: string): string {
  const hash = (of: string) => createHash('sha256').update(of).digest('hex').slice(0, 32);
  return version === undefined ? `content-${hash(id)}-` : `content-${hash(id)}-${hash(version)}`;
}
