import { describe, expect, it } from 'vitest';
import { createEmbeddings, EmbeddingsError } from '../../../../src/knowledge/embeddings/client.ts';
import { refuse, startVectorServer, vectorAnswer } from '../../../helpers/topic-vectors.ts';

const KEY = 'sk-a-key-that-nobody-may-see';
const { signal } = new AbortController();

async function open(changes: object = {}, answer?: Parameters<typeof startVectorServer>[0]) {
  const server = await startVectorServer(answer);
  const waits: number[] = [];
  const settings = { url: server.url, model: 'm', key: KEY, dimensions: null, batch: 3, weight: 1 };
  const embeddings = createEmbeddings(
    { ...settings, ...changes },
    {
      random: () => 1,
      timeoutMs: 2_000,
      wait: async (ms) => void waits.push(ms),
    },
  );
  const embed = async (...texts: string[]) =>
    (await embeddings.embed(texts, signal)).map(
      (vector) => vector && [...vector].map((one) => Math.round(one)),
    );
  return { server, waits, embeddings, embed };
}

async function problem(embedding: Promise<unknown>): Promise<EmbeddingsError> {
  const error = await embedding.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbeddingsError)) throw new Error(`no error of vectors: ${String(error)}`);
  return error;
}

describe('an API of embeddings', () => {
  it('is asked in batches with its key, and vectors have the length 1', async () => {
    const { server, embed, embeddings } = await open({ dimensions: 5, key: KEY });
    expect(await embed('train', 'hotel', 'pay', 'leave')).toMatchObject([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0],
    ]);
    expect(server.asked).toEqual([
      { model: 'm', input: ['train', 'hotel', 'pay'], encoding_format: 'float', dimensions: 5 },
      { model: 'm', input: ['leave'], encoding_format: 'float', dimensions: 5 },
    ]);
    expect(server.headers[0]?.authorization).toBe(`Bearer ${KEY}`);
    expect(embeddings.model).toBe('m, 5 dimensions');
    const [vector] = await embeddings.embed(['pay for a train'], signal);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1);
  });

  it('may answer out of order, or without saying in which', async () => {
    const { embed, server } = await open({}, (asked) => {
      const { data, ...rest } = Object(vectorAnswer(asked));
      return { ...rest, data: data.toReversed() };
    });
    const right = [
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
    ];
    expect(await embed('train', 'hotel')).toMatchObject(right);
    server.answerWith((asked) => {
      const { data } = Object(vectorAnswer(asked));
      return { data: data.map(({ embedding }: { embedding: number[] }) => ({ embedding })) };
    });
    expect(await embed('train', 'hotel')).toMatchObject(right);
  });

  it('has no vector for a text where it answers zeros or no numbers, and none at all where it does so for all', async () => {
    const { embed, server } = await open({}, (asked) =>
      vectorAnswer(asked, (text) => (text === 'zero' ? [0, 0] : [1, 0])),
    );
    expect(await embed('one', 'zero')).toEqual([[1, 0], null]);
    server.answerWith(() => ({ data: [{ index: 0, embedding: [null, 1] }] }));
    expect((await problem(embed('one'))).userMessage).toContain('without a direction');
  });

  it.each([
    ['fewer vectors than texts', { data: [{ index: 0, embedding: [1] }] }, '1 vectors for 2 texts'],
    [
      'one place twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
      'isn’t a list',
    ],
    ['a place that there isn’t', { data: [{ index: 7, embedding: [1] }] }, 'isn’t a list'],
    [
      'uneven vectors',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: [1, 2] },
        ],
      },
      'different numbers',
    ],
    ['something else', { ok: true }, 'isn’t a list'],
  ])('is not believed where it answers %s', async (_what, body, why) => {
    const { embed, server } = await open({}, () => body);
    expect((await problem(embed('one', 'two'))).userMessage).toContain(why);
    expect(server.asked).toHaveLength(1);
  });

  it('is asked again while it’s busy or broken, as late as it says, and not without end', async () => {
    let fails = 2;
    const { embed, server, waits } = await open({}, (asked, response) => {
      fails -= 1;
      if (fails === 1) response.setHeader('retry-after', '7');
      return fails >= 0 ? refuse(response, fails === 1 ? 429 : 503, 'busy') : vectorAnswer(asked);
    });
    expect(await embed('train')).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(6_000);
    expect(waits).toHaveLength(2);
    server.answerWith((_asked, response) => refuse(response, 500, 'broken'));
    expect(await problem(embed('train'))).toMatchObject({ retryable: true });
    expect(server.asked).toHaveLength(3 + 5);
  });

  it('takes fewer texts at once where it refuses many, and goes on without one that it refuses alone', async () => {
    const { embed, server } = await open({ batch: 8 }, (asked, response) =>
      asked.input.length > 2 || asked.input.includes('bad')
        ? refuse(response, 400, 'batch size is invalid')
        : vectorAnswer(asked),
    );
    expect(await embed('train', 'hotel', 'pay', 'leave', 'train')).not.toContain(null);
    const before = server.asked.length;
    expect(await embed('train', 'hotel', 'pay', 'bad')).toMatchObject([{}, {}, {}, null]);
    expect(server.asked.slice(before).every(({ input }) => input.length <= 3)).toBe(true);
    server.answerWith((_asked, response) => refuse(response, 400, 'there is no such model'));
    expect((await problem(embed('train', 'hotel'))).userMessage).toContain('there is no such model');
  });

  it('says nothing of its key in errors, which it may quote itself', async () => {
    const { embed, server } = await open({}, (_asked, response) => refuse(response, 401, `wrong key ${KEY}`));
    const refused = await problem(embed('train'));
    expect(refused.userMessage).toBe('The embedding model refused with HTTP 401: wrong key •••');
    expect(server.asked).toHaveLength(1);
    server.stop();
    const gone = await problem(embed('train'));
    expect(gone).toMatchObject({ retryable: true });
    expect(JSON.stringify([refused, gone, String(gone.cause), gone.stack])).not.toContain(KEY);
  });

  it('isn’t waited for without end', async () => {
    const server = await startVectorServer(() => new Promise(() => undefined));
    const embeddings = createEmbeddings(
      { url: `${server.url}/embeddings/`, model: 'm', key: null, dimensions: null, batch: 1, weight: 1 },
      { timeoutMs: 50, wait: async () => undefined },
    );
    expect(await problem(embeddings.embed(['train'], signal))).toMatchObject({ retryable: true });
    expect(server.headers[0]?.authorization).toBeUndefined();
    await expect(embeddings.embed(['train'], AbortSignal.timeout(10))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});
