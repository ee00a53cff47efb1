import type { Hono } from 'hono';
import { z } from 'zod';
import { type Actor, RefusalError } from '../../gate/types.ts';
import { compareFullness, type LimitUse } from '../../runs/index.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import type { LimitPorts } from '../ports.ts';
import { next, page } from '../records/schemas.ts';
import { LIMITS, RECORDS } from '../texts.ts';
import { toActor } from '../threads/ids.ts';
import { type KeyPorts, requireKey } from './auth.ts';
import { readBody, readQuery } from './body.ts';

const limitKeySchema = z.object({
  kind: z.enum(['person', 'key', 'channel']),
  id: z.string().min(1).max(500).describe('The id of the person, key or channel.'),
  measure: z
    .enum(['runs', 'calls', 'tokens', 'cost'])
    .describe(
      'What it limits: `runs` are messages, `calls` tool calls, and `cost` is model cost, in US dollars.',
    ),
});

export const limitUseSchema = limitKeySchema.extend({
  used: z.number(),
  limit: z.number().describe('What may be used today, with what was allowed besides.'),
  daily: z.number().describe('The limit of every day.'),
  question: z.int().describe('What an extension of it names.'),
  allowed: z
    .object({
      question: z.int().describe('What taking it back names.'),
      amount: z.number(),
      by: z.string().describe('Who allowed it, by name.'),
    })
    .nullable()
    .describe('What was allowed last besides, today, and not taken back; null if nothing was.'),
});

export const limitListSchema = z.object({
  counted_until: z.iso.datetime().describe('When the day ends, and all is counted anew.'),
  limits: z.array(limitUseSchema).describe('Those that any was used of today, the fullest first.'),
  next_cursor: next,
});

export const limitListQuerySchema = z.strictObject(page);

/** The last limit of a page, with how full it was. */
const cursorSchema = limitKeySchema.extend({ used: z.number(), limit: z.number() });

/** More than anybody means to allow, in dollars, tokens or anything else. */
const MOST_ALLOWED = 1e12;
/** The least that costs are counted in, in dollars; of anything else only whole ones are allowed. */
const LEAST_ALLOWED = 1e-6;

/** One question whether to extend a limit. */
export const limitQuestionSchema = limitKeySchema.extend({
  question: z
    .int()
    .min(1)
    .describe(
      'As `GET /api/limits` has it: each is answered once. To take an answer back, that of `allowed`.',
    ),
  until: z.iso
    .datetime()
    .optional()
    .describe(
      '`counted_until` as it was read: questions are counted anew each day, and that of an earlier day is refused.',
    ),
});
type LimitQuestion = z.infer<typeof limitQuestionSchema>;

export const limitExtensionSchema = limitQuestionSchema.extend({
  amount: z
    .number()
    .min(LEAST_ALLOWED)
    .max(MOST_ALLOWED)
    .optional()
    .describe('How much more may be used until the day ends. As much as `daily` unless it is set.'),
});
type LimitExtension = z.infer<typeof limitExtensionSchema>;

/**
 * `/api/limits`: how full the limits of the day are; `/api/limits/extensions`: allows more of one, as an admin's card does, and
 * `/api/limits/extensions/take-back` takes that back.
 */
export function limitRoutes(app: Hono<HttpEnv>, { limits, ...keys }: KeyPorts & LimitPorts): void {
  app.get('/api/limits', requireKey(keys, 'read', 'admin'), async (c) => {
    const counted_until = new Date(limits.countedUntil()).toISOString();
    const { limit, cursor } = readQuery(c, limitListQuerySchema);
    const last = cursor === undefined ? null : readCursor(cursor);
    const left = (await limits.usesToday()).filter((use) => last === null || compareFullness(use, last) > 0);
    const uses = left.slice(0, limit);
    const next_cursor = left.length > limit ? writeCursor(uses.at(-1)) : null;
    return c.json({ counted_until, limits: uses.map(toAnswer), next_cursor });
  });

  app.post('/api/limits/extensions', requireKey(keys, 'admin'), async (c) => {
    const body = await readBody(c, limitExtensionSchema);
    return c.json(toAnswer(await extendLimit(limits, body, toActor(c.get('caller')))));
  });

  app.post('/api/limits/extensions/take-back', requireKey(keys, 'admin'), async (c) => {
    const body = await readBody(c, limitQuestionSchema);
    return c.json(toAnswer(await takeBackExtension(limits, body, toActor(c.get('caller')))));
  });
}

/**
 * Allows more of a limit of which some was used today; the limit as it is then.
 * @throws HttpError 404 where none was used of it, 422 for a part of something; RefusalError where the question was answered
 */
export async function extendLimit(
  limits: LimitPorts['limits'],
  { amount, question, until, ...limit }: LimitExtension,
  by: Actor,
): Promise<LimitUse> {
  requireToday(limits, until);
  const use = await findUse(limits, limit);
  const more = amount === undefined ? use.daily : Math.round(amount * toUnit(limit));
  if (limit.measure !== 'cost' && more !== (amount ?? more)) {
    throw new HttpError({ status: 422, code: 'invalid_body', userMessage: LIMITS.notWhole });
  }
  const done = await limits.extend(limit, { question, amount: more, by });
  if (done.state === 'late') throw new RefusalError('already_decided', LIMITS.late(done.by?.name ?? null));
  if (done.state === 'unset') throw unused();
  return findUse(limits, limit);
}

/**
 * Takes back what the answer to this question allowed of a limit; the limit as it is then.
 * @throws HttpError 404 where none was used of it; RefusalError where nothing is allowed by that answer
 */
export async function takeBackExtension(
  limits: LimitPorts['limits'],
  { question, until, ...limit }: LimitQuestion,
  by: Actor,
): Promise<LimitUse> {
  requireToday(limits, until);
  await findUse(limits, limit);
  const { state } = await limits.takeBack(limit, { question, by });
  if (state === 'late') throw new RefusalError('already_decided', LIMITS.nothingToTakeBack);
  return findUse(limits, limit);
}

function requireToday(limits: LimitPorts['limits'], until: string | undefined): void {
  if (until !== undefined && Date.parse(until) !== limits.countedUntil())
    throw new RefusalError('expired', LIMITS.otherDay);
}

type LimitKey = z.infer<typeof limitKeySchema>;

async function findUse(limits: LimitPorts['limits'], { kind, id, measure }: LimitKey): Promise<LimitUse> {
  const uses = await limits.usesToday();
  const found = uses.find((use) => use.kind === kind && use.id === id && use.measure === measure);
  if (!found) throw unused();
  return found;
}

function unused(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: LIMITS.unused });
}

function writeCursor(last: LimitUse | undefined): string {
  return Buffer.from(JSON.stringify(cursorSchema.parse(last))).toString('base64url');
}

function readCursor(cursor: string): z.infer<typeof cursorSchema> {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new HttpError({ status: 400, code: 'invalid_query', userMessage: RECORDS.invalidQuery });
  }
}

function toAnswer({ kind, id, measure, used, limit, daily, question, allowed }: LimitUse) {
  const unit = toUnit({ measure });
  return {
    kind,
    id,
    measure,
    used: used / unit,
    limit: limit / unit,
    daily: daily / unit,
    question,
    allowed: allowed && {
      question: allowed.question,
      amount: allowed.amount / unit,
      by: allowed.by.name,
    },
  };
}

/** How many of what is counted make one: costs are counted in millionths of a dollar. */
function toUnit({ measure }: Pick<LimitUse, 'measure'>): number {
  return measure === 'cost' ? 1_000_000 : 1;
}
