// A thread of its own, so that a search through many passages holds up nobody else's work.
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { AppError, errorMessage } from '../../lib/errors.ts';
import { openIndexFile } from './index-file.ts';
import { documentSchema, findOptionsSchema, givenSchema, passageSchema, vectorSchema } from './records.ts';

const text = z.string();
const askedSchema = z.discriminatedUnion('do', [
  z.object({ id: z.number(), do: z.literal('get'), args: z.tuple([text]) }),
  z.object({ id: z.number(), do: z.literal('list'), args: z.tuple([text.optional()]) }),
  z.object({
    id: z.number(),
    do: z.literal('put'),
    args: z.tuple([documentSchema, z.array(passageSchema.omit({ place: true }))]),
  }),
  z.object({
    id: z.number(),
    do: z.literal('putGiven'),
    args: z.tuple([documentSchema, z.array(passageSchema.omit({ place: true }))]),
  }),
  z.object({ id: z.number(), do: z.literal('remove'), args: z.tuple([text, text.optional()]) }),
  z.object({ id: z.number(), do: z.literal('admit'), args: z.tuple([text, z.array(text)]) }),
  z.object({ id: z.number(), do: z.literal('share'), args: z.tuple([text, text]) }),
  z.object({ id: z.number(), do: z.literal('unshare'), args: z.tuple([text, text]) }),
  z.object({ id: z.number(), do: z.literal('listFor'), args: z.tuple([z.array(text)]) }),
  z.object({
    id: z.number(),
    do: z.literal('find'),
    args: z.tuple([z.array(text), findOptionsSchema]),
  }),
  z.object({
    id: z.number(),
    do: z.literal('findNear'),
    args: z.tuple([z.instanceof(Float32Array), findOptionsSchema.extend({ model: text })]),
  }),
  z.object({
    id: z.number(),
    do: z.literal('withoutVector'),
    args: z.tuple([text, z.number(), z.number()]),
  }),
  z.object({ id: z.number(), do: z.literal('putVectors'), args: z.tuple([text, z.array(vectorSchema)]) }),
  z.object({ id: z.number(), do: z.literal('keepOnlyVectors'), args: z.tuple([text]) }),
  z.object({ id: z.number(), do: z.literal('countVectors'), args: z.tuple([text, z.array(text)]) }),
  z.object({ id: z.number(), do: z.literal('describe'), args: z.tuple([text, text, text]) }),
  z.object({
    id: z.number(),
    do: z.literal('keep'),
    args: z.tuple([givenSchema, z.instanceof(Uint8Array)]),
  }),
  z.object({ id: z.number(), do: z.literal('waiting'), args: z.tuple([]) }),
  z.object({ id: z.number(), do: z.literal('given'), args: z.tuple([text]) }),
  z.object({ id: z.number(), do: z.literal('content'), args: z.tuple([text, text]) }),
  z.object({ id: z.number(), do: z.literal('kept'), args: z.tuple([]) }),
  z.object({ id: z.number(), do: z.literal('erase'), args: z.tuple([]) }),
  z.object({ id: z.number(), do: z.literal('told'), args: z.tuple([text, text]) }),
  z.object({ id: z.number(), do: z.literal('read'), args: z.tuple([text, z.number(), z.number()]) }),
  z.object({ id: z.number(), do: z.literal('close'), args: z.tuple([]) }),
]);
type Asked = z.infer<typeof askedSchema>;

const { path } = z.object({ path: z.string() }).parse(workerData);
const file = openIndexFile(path);

parentPort?.on('message', async (message: unknown) => {
  const asked = askedSchema.parse(message);
  try {
    parentPort?.postMessage({ id: asked.id, value: await answer(asked) });
  } catch (error) {
    parentPort?.postMessage({
      id: asked.id,
      error: error instanceof AppError ? error.userMessage : errorMessage(error),
    });
  }
  if (asked.do === 'close') parentPort?.close();
});

function answer(asked: Asked): unknown {
  switch (asked.do) {
    case 'get':
      return file.get(...asked.args);
    case 'list':
      return file.list(...asked.args);
    case 'put':
      return file.put(...asked.args);
    case 'putGiven':
      return file.putGiven(...asked.args);
    case 'remove':
      return file.remove(...asked.args);
    case 'admit':
      return file.admit(...asked.args);
    case 'share':
      return file.share(...asked.args);
    case 'unshare':
      return file.unshare(...asked.args);
    case 'listFor':
      return file.listFor(...asked.args);
    case 'keep':
      return file.keep(...asked.args);
    case 'waiting':
      return file.waiting();
    case 'given':
      return file.given(...asked.args);
    case 'content':
      return file.content(...asked.args);
    case 'kept':
      return file.kept();
    case 'told':
      return file.told(...asked.args);
    case 'erase':
      return file.erase();
    case 'find':
      return file.find(...asked.args);
    case 'findNear':
      return file.findNear(...asked.args);
    case 'withoutVector':
      return file.withoutVector(...asked.args);
    case 'putVectors':
      return file.putVectors(...asked.args);
    case 'keepOnlyVectors':
      return file.keepOnlyVectors(...asked.args);
    case 'countVectors':
      return file.countVectors(...asked.args);
    case 'describe':
      return file.describe(...asked.args);
    case 'read':
      return file.read(...asked.args);
    case 'close':
      return file.close();
  }
}
