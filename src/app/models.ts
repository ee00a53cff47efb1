import type { AgentPorts } from '../agents/ports.ts';
import { demoExamples } from '../agents/shared/demo/reply.ts';
import { DemoChatModel } from '../agents/shared/demo-model.ts';
import { createModel } from '../agents/shared/model.ts';
import type { Env } from '../config/env.ts';
import type { Clock } from '../gate/ports.ts';
import { type ExamplesFor, examplesFor } from '../slack/home/examples.ts';

/** The configured models, or without a key the demo model, which says that it is one; and what to write to it. */
export function models(
  env: Env,
  clock: Clock,
): Pick<AgentPorts, 'model' | 'routerModel'> & { readonly examples: ExamplesFor } {
  if (!env.model) {
    const model = new DemoChatModel({ timeZone: env.timeZone, clock });
    return { model, routerModel: null, examples: demoExamples };
  }
  const { routerModel, ...main } = env.model;
  const model = createModel(main);
  const router = routerModel === null ? model : createModel({ ...main, model: routerModel });
  return { model, routerModel: router, examples: examplesFor };
}
