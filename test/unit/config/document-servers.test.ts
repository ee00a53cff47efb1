import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfigFile, readPolicy } from '../../../src/config/file.ts';
import { temporaryFolder } from '../../helpers/process.ts';

/** A configuration with these settings. */
async function read(settings: object) {
  const path = join(temporaryFolder(), 'countersign.yaml');
  writeFileSync(path, JSON.stringify(settings));
  const { servers, policy, knowledge } = await readConfigFile(path, {});
  expect((await readPolicy(path)).policy).toEqual(policy);
  return { path, servers: Object.keys(servers), rules: policy.rules.map(({ name }) => name), knowledge };
}

it('documents that are configured come with their server, and their reading is allowed after all other rules', async () => {
  const rule = { name: 'mine', tools: 'documents.read_document', action: 'deny' };
  expect(await read({ knowledge: {}, policy: { rules: [rule] } })).toMatchObject({
    servers: ['documents'],
    rules: ['mine', 'reading documents'],
  });
  expect(await read({ knowledge: {}, policy: { default: 'deny' } })).toMatchObject({ rules: [] });
  expect(await read({})).toMatchObject({ servers: [], rules: [] });
});

it('a server that has the documents, or their name, stays as it is', async () => {
  const papers = { papers: { in_process: 'documents' } };
  expect(await read({ knowledge: {}, mcpServers: papers })).toMatchObject({ servers: ['papers'], rules: [] });
  const other = { documents: { url: 'https://example.com/mcp' } };
  expect(await read({ knowledge: {}, mcpServers: other })).toMatchObject({
    servers: ['documents'],
    rules: [],
  });
});

it('a store is a folder beside the file, or an address', async () => {
  const { path, knowledge } = await read({ knowledge: { store: 'shared' } });
  expect(knowledge.store).toBe(join(path, '../shared'));
  expect((await read({ knowledge: { store: 's3://bucket/documents' } })).knowledge.store).toBe(
    's3://bucket/documents',
  );
});
