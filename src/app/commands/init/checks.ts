import { z } from 'zod';
import { BASE_URL_ALONE, badOption, NEEDED, NOT_HTTP, NOT_MODEL_NAME } from '../../texts/init.ts';
import { UsageError } from '../context.ts';
import { findUnreadable } from './take-over.ts';

const addressSchema = z.url({ protocol: /^https?$/ });

/** The name of a model, which may be written as it stands in `MODEL`. */
export function readModelName(written: string): string {
  return written.trim().replace(/^openai:/, '');
}

/** What is wrong with the name of a model; undefined if nothing is. */
export function findModelProblem(written: string | undefined): string | undefined {
  const bare = readModelName(written ?? '');
  if (bare === '') return NEEDED;
  return /\s/.test(bare) ? NOT_MODEL_NAME : undefined;
}

/** What is wrong with a base URL; undefined if nothing is, or there's none. */
export function findAddressProblem(address: string | undefined): string | undefined {
  const written = address?.trim() ?? '';
  return written === '' || addressSchema.safeParse(written).success ? undefined : NOT_HTTP;
}

/** Refuses options that can't be used, before anything is asked or written. Throws UsageError. */
export async function requireUsable({
  yes,
  model,
  baseUrl,
  takeOver = [],
}: {
  readonly yes?: true;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly takeOver?: readonly string[];
}): Promise<void> {
  const problems = {
    '--model': model === undefined ? undefined : findModelProblem(model),
    '--base-url': findAddressProblem(baseUrl) ?? (yes && baseUrl && model === undefined && BASE_URL_ALONE),
    '--take-over': (await findUnreadable(takeOver)).join('\n'),
  };
  const wrong = Object.entries(problems).flatMap(([option, problem]) =>
    problem ? [badOption(option, problem)] : [],
  );
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
}
