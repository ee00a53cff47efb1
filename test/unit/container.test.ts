import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readEnv } from '../../src/config/env.ts';
import { ROOT } from '../helpers/sources.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const dockerfile = read('Dockerfile');
/** What comes from this folder; what one stage makes for another isn't there yet. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from=)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
  sources.split(' '),
);

const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  deploy: z.object({ replicas: z.int() }).optional(),
});
const { services } = z
  .object({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(read('compose.yaml'), { merge: true }));

describe('the Dockerfile', () => {
  it('copies only what is there', () => {
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });

  it('starts the bundle, which it makes before', () => {
    const [, entry = ''] = /^CMD \["node", .*"(\S+)"\]$/m.exec(dockerfile) ?? [];
    expect(entry).toBe('dist/index.mjs');
    // As `npm start`, which isn't there to pass them.
    const flags = [...read('bin/countersign.js').matchAll(/^ {2}'(--\S+)',$/gm)].map(([, flag]) => flag);
    expect(flags.length).toBeGreaterThan(1);
    for (const flag of flags) expect(dockerfile).toContain(`"${flag}", `);
    expect(dockerfile).toMatch(/^COPY --from=bundle \/app\/dist dist$/m);
    expect(dockerfile).toMatch(/^RUN .*npm run build$/m);
  });

  it('is given what it copies, and nothing else', () => {
    const letIn = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name);
    const topLevel = new Set(copied.map((source) => source.split('/')[0]));
    expect(letIn.sort()).toEqual([...topLevel].sort());
    expect(read('.dockerignore')).toMatch(/^\*$/m);
  });
});

describe('compose.yaml', () => {
  it.each(['web', 'worker'])('gives %s an environment that is accepted', (name) => {
    const slack = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'secret' };
    const env = readEnv({ ...slack, ...services[name]?.environment });
    expect(env).toMatchObject({
      role: name,
      redis: { strict: true },
      server: { host: '0.0.0.0', port: 3000 },
    });
  });

  it('has a Redis that keeps what it has acknowledged', () => {
    const command = services.redis?.command?.join(' ');
    for (const setting of ['appendonly yes', 'appendfsync always', 'maxmemory-policy noeviction']) {
      expect(command).toContain(`--${setting}`);
    }
    expect(services.redis?.volumes).toContain('redis:/data');
  });

  it('runs two workers, with the configuration of this folder', () => {
    expect(services.worker?.deploy?.replicas).toBe(2);
    const [mounted = ''] = (services.worker?.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(existsSync(join(ROOT, mounted))).toBe(true);
  });
});
