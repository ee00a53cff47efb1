// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfigFile } from '../../../src/config/file.ts';
import { temporaryFolder } from '../../helpers/process.ts';

function read(knowledge: object, env: Record<string, string> = {}) {
  const path = join(temporaryFolder(), 'c.yaml');
  writeFileSync(path, JSON.stringify({ knowledge }));
  return readConfigFile(path, env);
}

const MB = 1024 * 1024;
const EMBEDDINGS = { url: 'https://api.example/v1', model: 'small' };

it('an embedding model has its key from the environment, and usual settings', async () => {
  const embeddings = { ...EMBEDDINGS, key: '${EMBEDDINGS_KEY}' };
  expect((await read({ embeddings }, { EMBEDDINGS_KEY: 'secret' })).knowledge).toEqual({
    isConfigured: true,
    folders: [],
    store: null,
    embeddings: { ...EMBEDDINGS, key: 'secret', dimensions: null, batch: 64, weight: 0.3 },
    rerank: false,
    descriptions: true,
    limits: {
      person: { documents: 200, bytes: 500 * MB },
      key: { documents: 1_000, bytes: 2_048 * MB },
      workspace: { documents: 2_000, bytes: 5_120 * MB },
    },
  });
  expect((await read({})).knowledge.embeddings).toBeNull();
});

it.each([
  [{ key: '${NOT_SET}' }, 'setting "knowledge.embeddings": key', 'NOT_SET'],
  [{ url: 'ftp://api.example' }, 'knowledge.embeddings.url', 'must be an http or https address'],
  [{ url: 'https://me:secret@api.example' }, 'knowledge.embeddings.url', 'put it into key'],
  [{ batch: 4_000 }, 'knowledge.embeddings.batch', ''],
])('%j is refused, with its place', async (changes, place, why) => {
  const error = await read({ embeddings: { ...EMBEDDINGS, ...changes } }).then(
    () => '',
    (reason: unknown) => String(reason),
  );
  expect(error).toContain(place);
  expect(error).toContain(why);
  expect(error).not.toContain('secret@');
});

it('limits have the usual amounts where only one of them is set, and only amounts', async () => {
  expect(
    (await read({ limits: { person: { size: '2GB' }, key: { documents: 5 } } })).knowledge.limits,
  ).toEqual({
    person: { documents: 200, bytes: 2_048 * MB },
    key: { documents: 5, bytes: 2_048 * MB },
    workspace: { documents: 2_000, bytes: 5_120 * MB },
  });
  for (const person of [{ documents: 0 }, { size: '500' }, { bytes: 1 }])
    await expect(read({ limits: { person } })).rejects.toThrow('knowledge.limits.person');
});
