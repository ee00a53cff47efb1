import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Metrics } from '../../src/http/index.ts';

/** What Grafana needs of a dashboard (its JSON model, schema version 39) as far as ours goes. */
const dashboardSchema = z.object({
  title: z.string(),
  schemaVersion: z.literal(39),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })),
  }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      type: z.enum(['stat', 'timeseries']),
      datasource: z.object({ type: z.literal('prometheus'), uid: z.string().startsWith('$') }),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int().max(24), h: z.int() }),
      targets: z
        .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
        .nonempty(),
    }),
  ),
});

const dashboard = dashboardSchema.parse(
  JSON.parse(readFileSync(new URL('../../docs/grafana.json', import.meta.url), 'utf8')),
);

/** The metrics that an expression of PromQL names, by Prometheus' own grammar. Throws where that doesn't fit. */
function readNames(expression: string): readonly string[] {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new SyntaxError(`${expression} is no PromQL at ${from}`);
      if (type.name === 'Identifier') names.push(expression.slice(from, to));
    },
  });
  return names;
}

it('asks for nothing that no process tells, in words of PromQL', async () => {
  const { text } = await new Metrics(Date.now).read({
    callsInFlight: 0,
    callsWaitedFor: 0,
    threads: 0,
    servers: [],
    isSlackConnected: true,
    queues: null,
    limits: null,
  });
  const told = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const asked = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => readNames(expr)));
  expect(asked.length).toBeGreaterThan(10);
  const base = (name: string) => (told.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ''));
  expect(asked.filter((name) => !told.has(base(name)))).toEqual([]);
});

it('has panels beside and below each other, none over another', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
