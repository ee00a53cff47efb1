import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../helpers/sources.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

const jobSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  steps: z.array(
    z.looseObject({
      run: z.string().default(''),
      uses: z.string().default(''),
      with: z.record(z.string(), z.json()).optional(),
    }),
  ),
});
const { jobs } = z
  .object({ jobs: z.object({ package: jobSchema, image: jobSchema }) })
  .parse(parse(read('.github/workflows/release.yml')));
const commandsOf = (job: z.infer<typeof jobSchema>) => job.steps.map(({ run }) => run).join('\n');

describe('a release', () => {
  it('is published with its provenance and a list of what is in it, after the checks', () => {
    expect(jobs.package.permissions['id-token']).toBe('write');
    const commands = commandsOf(jobs.package);
    const inOrder = ['npm run check', 'npm sbom --sbom-format cyclonedx', 'npm publish --provenance'];
    const places = inOrder.map((command) => commands.indexOf(command));
    expect(places).not.toContain(-1);
    expect(places.toSorted((one, other) => one - other)).toEqual(places);
  });

  it('has an image on a base that is pinned by its digest, and stops without one', () => {
    expect(commandsOf(jobs.image)).toContain('[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]]');
    const build = jobs.image.steps.find(({ uses }) => uses.startsWith('docker/build-push-action@'));
    expect(build?.with).toMatchObject({
      'build-args': expect.stringContaining('NODE_IMAGE='),
      sbom: true,
      provenance: 'mode=max',
    });
  });

  it('names one base for all stages of the image, so that one digest pins them', () => {
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.length).toBeGreaterThan(1);
    expect(new Set(bases)).toEqual(new Set([`$${'{NODE_IMAGE}'}`]));
    expect(read('Dockerfile')).toMatch(/^ARG NODE_IMAGE=\S+$/m);
  });

  it('says how to report a vulnerability', () => {
    expect(existsSync(join(ROOT, 'SECURITY.md'))).toBe(true);
    expect(read('SECURITY.md')).toContain('Report a vulnerability');
  });
});
