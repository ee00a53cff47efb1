import type { AgentPorts } from '../agents/ports.ts';
import { DemoChatModel } from '../agents/shared/demo-model.ts';
import { createModel } from '../agents/shared/model.ts';
import type { Env } from '../config/env.ts';
import type { Clock } from '../gate/ports.ts';

/** The configured models, or without a key the demo model, which says that it is one. */
export function models(env: Env, clock: Clock): Pick<AgentPorts, 'model' | 'routerModel'> {
  if (!env.model) return { model: new DemoChatModel({ timeZone: env.timeZone, clock }), routerModel: null };
  const { routerModel, ...main } = env.model;
  const model = createModel(main);
  return { model, routerModel: routerModel === null ? model : createModel({ ...main, model: routerModel }) };
}
