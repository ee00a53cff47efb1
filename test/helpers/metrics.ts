import { execFileSync } from 'node:child_process';
import { z } from 'zod';

/** Prometheus' own client for Python reads the text: each sample with its family's type. */
const READ = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps([
    {"name": s.name, "labels": s.labels, "value": s.value, "type": f.type}
    for f in text_string_to_metric_families(sys.stdin.read()) for s in f.samples if s.value == s.value
]))
`;

const samplesSchema = z.array(
  z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    value: z.number(),
    type: z.string(),
  }),
);

/** What a scrape says, by Prometheus' own client (Debian's python3-prometheus-client). */
export function readMetrics(text: string) {
  const printed = execFileSync('/usr/bin/python3', ['-c', READ], { input: text, encoding: 'utf8' });
  const samples = samplesSchema.parse(JSON.parse(printed));
  return {
    text,
    types: new Map(samples.map(({ name, type }) => [name, type])),
    /** The value of the sample with these labels; null if there is none. */
    value(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
      const hasLabels = (of: Readonly<Record<string, string>>) =>
        Object.entries(labels).every(([key, value]) => of[key] === value);
      return samples.find((sample) => sample.name === name && hasLabels(sample.labels))?.value ?? null;
    },
  };
}
