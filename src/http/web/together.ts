import { z } from 'zod';
import { placeDigest, recordKey } from '../../gate/types.ts';
import type { DecisionSheet } from '../../presentation/decision-sheet.ts';

/** What a form for several calls is made for, in place of one call's key. */
export const TOGETHER = 'together';
export const TOGETHER_PATH = `/decide/${TOGETHER}`;

const togetherSchema = z
  .array(
    z.strictObject({
      callKey: z.string(),
      digest: z.string(),
      place: z.string().optional(),
      news: z.string().optional(),
      /** What it was called there. */
      act: z.string(),
    }),
  )
  .min(1);

/** Calls as they are shown, for a form that decides them in one go. */
export function describeTogether(sheets: readonly DecisionSheet[]): string {
  return JSON.stringify(
    sheets.map(({ call, news, summary }) => ({
      callKey: recordKey(call),
      digest: call.digest,
      place: placeDigest(call),
      news: news ?? undefined,
      act: summary,
    })),
  );
}

/** The calls of {@link describeTogether}, of a form whose token says that we made it. */
export function parseTogether(described: string): z.infer<typeof togetherSchema> {
  return togetherSchema.parse(JSON.parse(described));
}
