import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reserveEnvFile } from '../../../src/app/isolation.ts';
import { mcpServersSchema } from '../../../src/mcp/config/schema.ts';

const servers = mcpServersSchema.parse({ notes: { command: 'notes' } });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-reserved-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a start with servers that are processes leaves them no .env of the next start to make', () => {
  reserveEnvFile({ servers }, folder);
  expect(readdirSync(folder)).toEqual(['.env']);
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^#.*\n$/);
});

it('one that is there stays as it is', () => {
  writeFileSync(join(folder, '.env'), 'OPENAI_API_KEY=x\n');
  reserveEnvFile({ servers }, folder);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('OPENAI_API_KEY=x\n');
});

it('a start without such servers makes nothing', () => {
  const remote = mcpServersSchema.parse({ notes: { url: 'https://notes.example/mcp' } });
  reserveEnvFile({ servers: remote }, folder);
  expect(readdirSync(folder)).toEqual([]);
});
