import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnv } from '../../src/config/env.ts';
import { LANGSMITH_VARIABLES } from '../../src/config/langsmith.ts';
import { TELEMETRY_VARIABLES } from '../../src/config/telemetry.ts';
import { ROOT } from '../helpers/sources.ts';

const lines = readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n');
const settings = lines.flatMap((line) => {
  const [, name, value] = /^#([A-Z_]+)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, value: value ?? '' }];
});

describe('.env.example', () => {
  it('names every variable that is read, and no other', () => {
    const source = readFileSync(join(ROOT, 'src/config/env.ts'), 'utf8');
    const schema = /const envSchema = z\.object\(\{([\s\S]*?)\n\}\);/.exec(source)?.[1] ?? '';
    const own = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    const page = readFileSync(join(ROOT, 'docs/connectors.md'), 'utf8');
    const ofConnectors = [...page.matchAll(/"\$\{([A-Z_]+)\}"/g)].flatMap(([, name = '']) => name);
    const others = Object.keys({ ...TELEMETRY_VARIABLES, ...LANGSMITH_VARIABLES });
    const read = new Set([...own, ...others, ...ofConnectors]);
    expect(read.size).toBeGreaterThan(10);
    expect(settings.map(({ name }) => name).sort()).toEqual([...read].sort());
  });

  it('says in the line above what each is for', () => {
    const bare = lines.filter(
      (line, index) => /^#[A-Z_]+=/.test(line) && !/^# \S/.test(lines[index - 1] ?? ''),
    );
    expect(bare).toEqual([]);
  });

  it('shows values that are accepted', () => {
    const shown = settings.filter(({ name, value }) => value !== '' && !name.startsWith('SLACK_'));
    expect(() => readEnv(Object.fromEntries(shown.map(({ name, value }) => [name, value])))).not.toThrow();
  });
});
