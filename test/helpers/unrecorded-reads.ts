import { createAuditLog } from '../../src/gate/index.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import { Limits } from '../../src/runs/limits/limits.ts';
import type { ToolDefinition, ToolOffer } from '../../src/tools/ports.ts';
import { createUnrecordedReads } from '../../src/tools/unrecorded-read.ts';
import { auditKeys } from './audit-keys.ts';
import { openGate } from './gate.ts';
import { riskPorts } from './risk.ts';

type Ports = Parameters<typeof createUnrecordedReads>[0];

/** What reads that pass by the record are made of: a gate whose policy lets all lists be read, and one call of a person at once. */
export function testReads({
  send,
  offer,
  rules = [{ name: 'reading', tools: '*.list_*', action: 'allow' }],
}: Pick<Ports, 'send'> & {
  readonly offer: (...asked: Parameters<Ports['offer']>) => Promise<Pick<ToolOffer, 'tools'>>;
  readonly rules?: readonly object[];
}) {
  const evaluate = compilePolicy(policySchema.parse({ rules }));
  const { gate, store, time } = openGate({ evaluate, risk: riskPorts });
  const clock = () => time.now;
  const limits = new Limits({
    ...{
      store,
      clock,
      ids: () => 'limits',
      settings: { person: { calls_at_once: 1, calls_per_day: 100 }, key: {}, channel: {} },
    },
    audit: createAuditLog({ store, clock, auditKeys }),
  });
  const isOurs = (server: string) => server !== 'foreign';
  return { limits, read: createUnrecordedReads({ gate, agent: 'assistant', isOurs, offer, limits, send }) };
}

/** A tool of a server that says that it only reads. */
export function readingTool(
  server: string,
  name: string,
  more: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    ...{ server, name, modelName: name, title: name, description: '', inputSchema: { type: 'object' } },
    ...{ definitionHash: 'v1', destructive: false, toolType: server, outputSchema: null, readOnly: true },
    ...{ asListed: {}, ...more },
  };
}
