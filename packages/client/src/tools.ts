import { PermissionError } from './errors.ts';
import { TOOL } from './texts.ts';
import { isRecord, type TrackedCall } from './types.ts';

/** Tools in a list, or by name. */
export type ToolSet = readonly object[] | Readonly<Record<string, object>>;

type Ask = <Result>(call: TrackedCall<Result>) => Promise<Awaited<Result>>;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** One kind of tool: what runs it, and what people read of its arguments. */
interface ToolKind {
  readonly method: string;
  readonly fits: (tool: Readonly<Record<string, unknown>>) => boolean;
  readonly toCall: (args: readonly unknown[]) => Pick<TrackedCall<unknown>, 'args' | 'signal'>;
  /** What its caller gets instead of the method's own result or error. */
  readonly finish?: (result: Promise<unknown>) => Promise<unknown>;
}

const KINDS: readonly ToolKind[] = [
  {
    // LangChain and LangGraph, `_call(input, runManager, config)`: with arguments that fit the schema.
    method: '_call',
    fits: ({ _call, invoke }) => isFunction(_call) && isFunction(invoke),
    toCall: ([args, , config]) => ({ args, signal: signalIn(config, 'signal') }),
  },
  {
    // OpenAI Agents SDK, `invoke(context, json, details)`.
    method: 'invoke',
    fits: ({ type, invoke }) => type === 'function' && isFunction(invoke),
    toCall: ([, json, details]) => ({ args: parsed(json), signal: signalIn(details, 'signal') }),
    // As the tools of this SDK do with their errors: an error that `invoke` throws would end the whole run.
    finish: (result) => result.catch(toText),
  },
  {
    // Vercel AI SDK, `execute(input, options)`.
    method: 'execute',
    fits: ({ execute }) => isFunction(execute),
    toCall: ([args, options]) => ({ args, signal: signalIn(options, 'abortSignal') }),
  },
];

/** Copies of the tools whose calls ask first; see `Gate.wrapTools`. */
export function wrapTools<Tools extends ToolSet>(tools: Tools, ask: Ask): Tools;
export function wrapTools(tools: ToolSet, ask: Ask): unknown {
  if (Array.isArray(tools)) return tools.map((tool: object) => wrapTool(tool, null, ask));
  return Object.fromEntries(Object.entries(tools).map(([key, tool]) => [key, wrapTool(tool, key, ask)]));
}

function wrapTool(tool: object, key: string | null, ask: Ask): object {
  if (!isRecord(tool)) return tool;
  const kind = KINDS.find(({ fits }) => fits(tool));
  const method = kind && tool[kind.method];
  if (!kind || !isFunction(method)) return tool;
  const name = typeof tool.name === 'string' ? tool.name : key;
  if (name === null) throw new TypeError(TOOL.withoutName);
  const run: Method = (...args) => {
    const result = ask({ name, ...kind.toCall(args), run: () => finalOutput(method.apply(tool, args)) });
    return kind.finish ? kind.finish(result) : result;
  };
  // A copy with the tool's class, so that whatever else reads it sees the same tool.
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    [kind.method]: {
      value: run,
      enumerable: Object.hasOwn(tool, kind.method),
      writable: true,
      configurable: true,
    },
  });
}

function isFunction(value: unknown): value is Method {
  return typeof value === 'function';
}

function signalIn(options: unknown, name: string): AbortSignal | undefined {
  const signal = isRecord(options) ? options[name] : undefined;
  return signal instanceof AbortSignal ? signal : undefined;
}

/** The arguments as data where they are JSON, so that people don't read JSON within JSON. */
function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return json;
  }
}

function toText(error: unknown): string {
  if (error instanceof PermissionError) return error.message;
  throw error;
}

/**
 * The output of a tool that has several over time: what LangChain's return, and the last that the AI SDK's yield. Those
 * before it are not passed on: both SDKs only take them from what a tool returns at once, and people come first.
 */
async function finalOutput(result: unknown): Promise<unknown> {
  const output = await result;
  if (!isAsyncIterable(output)) return output;
  const parts = output[Symbol.asyncIterator]();
  let last: unknown;
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return value ?? last;
    last = value;
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown> {
  return isRecord(value) && Symbol.asyncIterator in value;
}
