import { createSteadySampler, type LangSmith, loadDemo, loadLangSmith, loadOpenAi } from '../agents/index.ts';
import type { AgentModels } from '../agents/ports.ts';
import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { Clock } from '../lib/clock.ts';
import { ConfigError } from '../lib/errors.ts';
import { createMask } from '../lib/secret-mask.ts';
import type { AskModel } from '../memory/ports.ts';
import { type ExamplesFor, examplesFor } from '../presentation/example-prompts.ts';
import { findTokenCost } from '../runs/index.ts';
import type { Sampled } from '../tools/ports.ts';
import { type CreateTeamModel, createTeamModels } from './team/compose-team.ts';
import { noPrice } from './texts/start.ts';

/** Asks what finds things to remember; resolves with its answer, and the tokens that it took. */
export type Extract = (
  request: Parameters<AskModel>[0],
  signal: AbortSignal,
) => Promise<Pick<Sampled, 'text' | 'tokens'>>;

export interface ModelSide {
  readonly models: AgentModels;
  readonly teamModel: CreateTeamModel;
  readonly examples: ExamplesFor;
  /** Finds in people's words what is to be remembered of them. */
  readonly extract: Extract;
  /** Where runs of graphs are told of; null unless LangSmith is switched on: nothing of it is loaded then. */
  readonly langSmith: LangSmith | null;
}

async function createLangSmith({ langSmith: settings, secrets }: Env): Promise<LangSmith | null> {
  if (settings === null) return null;
  const { startLangSmith } = await loadLangSmith();
  return startLangSmith({ settings, mask: createMask(secrets) });
}

/**
 * Composes the configured models, or without a key the demo model (which says that it is one), with example
 * prompts.
 */
export async function createModelSide(env: Env, clock: Clock): Promise<ModelSide> {
  const langSmith = await createLangSmith(env);
  const teamModel = await createTeamModels(env);
  if (!env.model) {
    const { DemoChatModel, demoAnswerBeside, demoExamples } = await loadDemo();
    const model = new DemoChatModel({ timeZone: env.timeZone, clock, hasBanner: env.slack === null });
    const extract: Extract = async ({ text }) => ({ text: demoAnswerBeside(text) });
    return { models: { main: model, router: null }, teamModel, examples: demoExamples, extract, langSmith };
  }
  const { routerModel, ...main } = env.model;
  const { createModel } = await loadOpenAi();
  const model = createModel(main);
  const chosen = { ...main, model: routerModel ?? main.model };
  const router = routerModel === null ? model : createModel(chosen);
  const steady = createModel({ ...chosen, temperature: EXTRACT.temperature });
  const sample = createSteadySampler(steady, router, chosen.model);
  const extract: Extract = ({ instructions, text }, signal) => {
    const messages = [{ role: 'user' as const, text }];
    return sample({ messages, systemPrompt: instructions, maxTokens: EXTRACT.maxTokens }, signal);
  };
  return { models: { main: model, router }, teamModel, examples: examplesFor, extract, langSmith };
}

/** How freely what is to be remembered is worded, and how long an answer with it may be. */
const EXTRACT = { temperature: 0.1, maxTokens: 512 };

/**
 * How many tokens a request and its answer take, unless configured: what the model takes if LangChain knows it. Not more
 * than {@link USUAL_CONTEXT}, since each step of a long conversation costs all that is sent.
 */
export function usualContext({ profile }: Pick<AgentModels['main'], 'profile'>): number {
  return Math.min(profile.maxInputTokens ?? USUAL_CONTEXT, USUAL_CONTEXT);
}

/** The window of most models of today, in tokens. */
const USUAL_CONTEXT = 128_000;

/**
 * What tokens of the models cost. The demo model costs nothing.
 * @throws ConfigError when a limit is in dollars, and a model has no price
 */
export function createCosts(
  { limits, model_prices: prices }: Pick<FileConfig, 'limits' | 'model_prices'>,
  { model }: Pick<Env, 'model'>,
) {
  const isLimited = [limits.person, limits.key, limits.channel].some((it) => it.cost_per_day !== undefined);
  const cost = (name: string | null) => {
    const found = name === null ? null : findTokenCost(prices, name);
    if (found === null && isLimited && name !== null) throw new ConfigError(noPrice(name));
    return found ?? (() => 0);
  };
  const main = cost(model?.model ?? null);
  return { main, router: model?.routerModel ? cost(model.routerModel) : main };
}
