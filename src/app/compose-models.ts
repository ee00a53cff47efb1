import { loadDemo, loadOpenAi } from '../agents/index.ts';
import type { AgentModels } from '../agents/ports.ts';
import type { Env } from '../config/env.ts';
import type { Clock } from '../lib/clock.ts';
import { type ExamplesFor, examplesFor } from '../presentation/example-prompts.ts';

export interface ModelSide {
  readonly models: AgentModels;
  readonly examples: ExamplesFor;
}

/**
 * Composes the configured models, or without a key the demo model (which says that it is one), with example
 * prompts.
 */
export async function createModelSide(env: Env, clock: Clock): Promise<ModelSide> {
  if (!env.model) {
    const { DemoChatModel, demoExamples } = await loadDemo();
    const model = new DemoChatModel({ timeZone: env.timeZone, clock, hasBanner: env.slack === null });
    return { models: { main: model, router: null }, examples: demoExamples };
  }
  const { routerModel, ...main } = env.model;
  const { createModel } = await loadOpenAi();
  const model = createModel(main);
  const router = routerModel === null ? model : createModel({ ...main, model: routerModel });
  return { models: { main: model, router }, examples: examplesFor };
}
