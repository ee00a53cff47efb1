import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDoctor } from '../../src/app/doctor/doctor.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { envelopeOf, post } from '../helpers/http-client.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { refuse, startVectorServer } from '../helpers/topic-vectors.ts';

const SLOW = 120_000;
const KEY = 'a-key-of-whoever-asks-documents-27182';

describe('an embedding model', { timeout: SLOW }, () => {
  it('finds by meaning through the whole app, and words alone where it’s away, which the model is told', async () => {
    const server = await startVectorServer();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'travel.txt'), 'The railway comes before planes.');
    for (let at = 0; at < 20; at += 1) writeFileSync(join(folder, `note-${at}.txt`), `Something else ${at}.`);
    const { app, model } = await startAppWithModel({
      env: { COUNTERSIGN_API_KEY: KEY },
      file: {
        knowledge: { folders: [folder], embeddings: { url: server.url, model: 'm' } },
        policy: { rules: [{ tools: 'documents.*', action: 'allow' }] },
        mcpServers: { documents: { in_process: 'documents' } },
      },
    });
    await app.pass(0);
    let count = 0;
    async function search(query: string): Promise<string> {
      count += 1;
      const asked = { user_request: 'look it up', thread_id: `t${count}` };
      const run = post({ url: app.url, key: KEY }, '/run', asked);
      await model.calls([{ name: 'documents__search_documents', arguments: { query } }]);
      const heard = await model.heard();
      await model.says('Done.');
      expect(envelopeOf(await run)).toMatchObject({ http: 200, response: 'Done.' });
      return heard;
    }
    const found = await search('by train?');
    expect(found).toContain('[1] travel.txt, passage 1\n> The railway comes before planes.');
    expect(found).toContain('"searched_by":"words_and_vectors"');
    server.answerWith((_asked, response) => refuse(response, 400, 'away'));
    expect(await search('by train?')).toContain('can’t be reached now, so this was found by words alone');
    expect(await search('railway planes')).toContain('[1] travel.txt');
  });

  it('is asked by the doctor, which says what is wrong without its key', async () => {
    const server = await startVectorServer();
    const folder = temporaryFolder();
    const config = join(folder, 'c.yaml');
    const key = ['$', '{EMBEDDINGS_KEY}'].join('');
    writeFileSync(
      config,
      JSON.stringify({ knowledge: { embeddings: { url: server.url, model: 'small', key } } }),
    );
    const variables = {
      COUNTERSIGN_CONFIG: config,
      DATA_DIR: join(folder, 'data'),
      EMBEDDINGS_KEY: 'sk-which-nobody-may-see',
    };
    const examine = async () => {
      const printed: string[] = [];
      await runDoctor({
        variables,
        bundled: { in_process: ['documents'], connector: [] },
        json: false,
        print: (text) => void printed.push(text),
      });
      return printed.find((line) => line.includes('embeddings:')) ?? '';
    };
    expect(await examine()).toBe('ok    embeddings: small makes vectors of 5 dimensions.');
    server.answerWith((_asked, response) => refuse(response, 401, 'sk-which-nobody-may-see is wrong'));
    const failed = await examine();
    expect(failed).toContain('FAIL  embeddings: The embedding model refused with HTTP 401: ••• is wrong');
    expect(failed).not.toContain('sk-which');
  });
});
