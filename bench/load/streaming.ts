import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { startOurs } from '../bots/start.ts';
import { choosePerson, crowd } from '../bots/turns.ts';

const ANSWERS = 5;
/** As a model writes: 25 words a second, for six seconds. */
const WORDS = 150;
const WORD_MS = 40;
const LAST = 'the end.';

/** How soon, and how evenly, an answer is seen while the model writes it. Milliseconds, of the slowest of the answers. */
export interface StreamingFigures {
  readonly at: string;
  readonly answers: number;
  /** From the model's first word to Slack's first. */
  readonly first: number;
  /** The longest time between two appends while the model writes. */
  readonly pause: number;
  /** Of all answers. */
  readonly appends: number;
}

/** Has a model over HTTP stream answers, one after another, to a whole bot. The first is not counted. */
export async function measureStreaming(): Promise<StreamingFigures> {
  const model = await startWritingModel();
  const bot = await startOurs('sqlite', { modelUrl: model.url });
  try {
    crowd(bot, 1);
    const person = choosePerson(bot, 0);
    const { driver } = bot.workspace;
    const all: { readonly first: number; readonly pauses: readonly number[] }[] = [];
    for (let answer = 0; answer <= ANSWERS; answer++) {
      const before = driver.calls().length;
      const threadTs = person.dm('Tell me a story.');
      await driver.waitUntil(
        () =>
          driver
            .messages(person.dmChannel, { threadTs })
            .find((it) => it.byApp && it.stream === null && driver.text(it).includes(LAST)),
        60_000,
      );
      const { began, ended } = model.lastAnswer();
      const times = driver
        .calls()
        .slice(before)
        .filter(({ method, at }) => /^chat\.(start|append)Stream$/.test(method) && at <= ended)
        .map(({ at }) => at);
      const [first = Infinity, ...later] = times;
      all.push({ first: first - began, pauses: later.map((at, index) => at - (times[index] ?? at)) });
    }
    const counted = all.slice(1);
    return {
      at: new Date().toISOString(),
      answers: ANSWERS,
      first: Math.max(...counted.map(({ first }) => first)),
      pause: Math.max(...counted.flatMap(({ pauses }) => pauses)),
      appends: counted.reduce((sum, { pauses }) => sum + pauses.length, 0),
    };
  } finally {
    await bot.close();
    model.stop();
  }
}

/** A model that writes a word at a time, whatever it is asked. */
async function startWritingModel() {
  let times = { began: 0, ended: 0 };
  const server = createServer((request, response) => {
    request.resume();
    void answer(response);
  });
  async function answer(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'answer', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    const began = Date.now();
    for (let word = 0; word < WORDS; word++) {
      write({ role: 'assistant', content: word === WORDS - 1 ? LAST : `word${word} ` });
      await after(WORD_MS);
    }
    times = { began, ended: Date.now() };
    write({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const found = server.address();
      if (found === null || typeof found === 'string') reject(new Error('the model listens nowhere'));
      else resolve(found);
    });
  });
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    /** When the last answer began and ended, in milliseconds since the epoch. */
    lastAnswer: () => times,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
