import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inWriteTransaction, wrapSqliteErrors } from '../sqlite/database.ts';
import {
  type GivenDocument,
  givenSchema,
  type KeptContent,
  keptSchema,
  toKept,
  type WaitingDocument,
} from './records.ts';

/** Documents that were given, whose contents are kept. */
export function keptContents(database: DatabaseSync) {
  const rows = z.array(z.object({ given: z.string(), isTold: z.number() }));
  const row = z.object({ given: z.string() }).optional();
  const keptRow = z.object({ given: z.string(), bytes: z.number(), isUnread: z.number() });
  const byId = database.prepare('SELECT given FROM contents WHERE id = ?');
  const given = (id: string): GivenDocument | null => {
    const found = row.parse(wrapSqliteErrors(() => byId.get(id)));
    return found === undefined ? null : givenSchema.parse(JSON.parse(found.given));
  };
  return {
    given,
    keep: (one: GivenDocument, content: Uint8Array): boolean =>
      inWriteTransaction(database, () => {
        const kept = toKept(one, given(one.id));
        if (kept === null) return false;
        database
          .prepare(
            `INSERT INTO contents (id, given, version, content) VALUES (?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET given = excluded.given, version = excluded.version, told = NULL, content = excluded.content`,
          )
          .run(kept.id, JSON.stringify(kept), kept.version, content);
        return true;
      }),
    waiting: (): readonly WaitingDocument[] =>
      rows
        .parse(
          wrapSqliteErrors(() =>
            database
              .prepare(
                `SELECT given, contents.told IS contents.version AS isTold FROM contents LEFT JOIN documents USING (id)
                 WHERE NOT isTold OR documents.version IS NOT contents.version ORDER BY contents.rowid`,
              )
              .all(),
          ),
        )
        .map(({ given, isTold }) => ({ given: givenSchema.parse(JSON.parse(given)), isTold: isTold === 1 })),
    content: (id: string, version: string): Uint8Array | null =>
      z
        .object({ content: z.instanceof(Uint8Array) })
        .optional()
        .parse(
          wrapSqliteErrors(() =>
            database.prepare('SELECT content FROM contents WHERE id = ? AND version = ?').get(id, version),
          ),
        )?.content ?? null,
    kept: (): readonly KeptContent[] =>
      z
        .array(keptRow)
        .parse(
          wrapSqliteErrors(() =>
            database
              .prepare(
                `SELECT given, length(content) AS bytes, documents.problem IS NOT NULL AS isUnread FROM contents
                 LEFT JOIN documents ON documents.id = contents.id AND documents.version = contents.version`,
              )
              .all(),
          ),
        )
        .map(({ given, bytes, isUnread }) =>
          keptSchema.parse({ ...givenSchema.parse(JSON.parse(given)), bytes, isUnread: isUnread === 1 }),
        ),
    told(id: string, version: string): void {
      wrapSqliteErrors(() =>
        database
          .prepare('UPDATE contents SET told = :version WHERE id = :id AND version = :version')
          .run({ id, version }),
      );
    },
  };
}
