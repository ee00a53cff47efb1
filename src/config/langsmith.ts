import { z } from 'zod';
import { ConfigError } from '../lib/errors.ts';
import { flag, share, url } from './telemetry.ts';
import { badEnvironment, LANGSMITH_NEEDS_KEY } from './texts.ts';

/**
 * LangSmith's own variables, as far as we read them ourselves (https://docs.langchain.com/langsmith/env-var). The client
 * reads others besides.
 */
export const LANGSMITH_VARIABLES = {
  LANGSMITH_TRACING: flag.default(false),
  LANGSMITH_API_KEY: z.string().optional(),
  LANGSMITH_ENDPOINT: url.optional(),
  LANGSMITH_PROJECT: z.string().default('default'),
  LANGSMITH_WORKSPACE_ID: z.string().optional(),
  LANGSMITH_TRACING_SAMPLING_RATE: share.optional(),
  LANGSMITH_HIDE_INPUTS: flag.default(false),
  LANGSMITH_HIDE_OUTPUTS: flag.default(false),
};

/** Where the runs of graphs are sent, and what of them. */
export interface LangSmithSettings {
  readonly apiKey: string;
  /** Null: LangSmith's own service. */
  readonly endpoint: string | null;
  readonly project: string;
  readonly workspaceId: string | null;
  /** The share of runs that are sent. */
  readonly samplingRate: number;
  readonly hidesInputs: boolean;
  readonly hidesOutputs: boolean;
}

/** The names of earlier versions, which LangChain still reads. */
const FORMER_NAMES: Readonly<Record<string, keyof typeof LANGSMITH_VARIABLES>> = {
  LANGSMITH_TRACING_V2: 'LANGSMITH_TRACING',
  LANGCHAIN_TRACING_V2: 'LANGSMITH_TRACING',
  LANGCHAIN_API_KEY: 'LANGSMITH_API_KEY',
  LANGCHAIN_ENDPOINT: 'LANGSMITH_ENDPOINT',
  LANGCHAIN_PROJECT: 'LANGSMITH_PROJECT',
};

/** The variables with today's names. */
export function withTodaysNames(given: Readonly<Record<string, string>>): Record<string, string> {
  const former = Object.entries(FORMER_NAMES).flatMap(([old, name]) => {
    const value = given[old];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(former.toReversed()), ...given };
}

/**
 * The settings; null unless tracing is on.
 * @throws ConfigError without a key.
 */
export function readLangSmith(
  env: z.infer<z.ZodObject<typeof LANGSMITH_VARIABLES>>,
): LangSmithSettings | null {
  if (!env.LANGSMITH_TRACING) return null;
  if (env.LANGSMITH_API_KEY === undefined) throw new ConfigError(badEnvironment([LANGSMITH_NEEDS_KEY]));
  return {
    apiKey: env.LANGSMITH_API_KEY,
    endpoint: env.LANGSMITH_ENDPOINT ?? null,
    project: env.LANGSMITH_PROJECT,
    workspaceId: env.LANGSMITH_WORKSPACE_ID ?? null,
    samplingRate: env.LANGSMITH_TRACING_SAMPLING_RATE ?? 1,
    hidesInputs: env.LANGSMITH_HIDE_INPUTS,
    hidesOutputs: env.LANGSMITH_HIDE_OUTPUTS,
  };
}

/**
 * Takes LangChain's own switches away: it would trace by itself whatever it runs, without our mask. Its runs are traced by
 * a tracer of ours, as the settings say.
 */
export function switchOffLangChain(environment: Record<string, string | undefined>): void {
  for (const name of ['LANGSMITH_TRACING', 'LANGCHAIN_TRACING', ...Object.keys(FORMER_NAMES)]) {
    delete environment[name];
  }
}
