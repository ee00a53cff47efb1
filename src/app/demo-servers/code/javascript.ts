/**
 * Runs one JavaScript program in QuickJS, in a process that is started for it: the code is read from descriptor 3, and what
 * it prints is written as this process's own output. The program has the language and `console`, and nothing of Node.
 */
import { readFileSync, writeSync } from 'node:fs';
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core';

/** In pages of 64 kB: 256 MB. A limit of QuickJS's own doesn't add up what is allocated, when it's compiled to WebAssembly. */
const MEMORY_PAGES = 4096;
const FIRST_PAGES = 256;
/** Half of its stack in WebAssembly. Node's own, which it uses too, is made larger where this is started. */
const STACK_BYTES = 512 * 1024;

/** In characters: an endless recursion is thousands of lines. */
const LONGEST_STACK = 2_000;

/** What a program has besides the language. The one function of ours only takes texts, a piece at a time. */
const PRELUDE = `(write, stdin) => {
  const PIECE = 65536;
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    if (typeof value === 'object' && value !== null) {
      try { return JSON.stringify(value, null, 2) ?? String(value); } catch {}
    }
    return typeof value === 'bigint' ? value + 'n' : String(value);
  };
  const print = (stream) => (...values) => {
    // A NUL would end the text on its way out.
    const text = (values.map(show).join(' ') + '\\n').replaceAll('\\0', '\\u2400');
    for (let at = 0; at < text.length; at += PIECE) write(stream, text.slice(at, at + PIECE));
  };
  const [out, err] = [print(1), print(2)];
  globalThis.console = { log: out, info: out, debug: out, table: out, warn: err, error: err };
  globalThis.print = out;
  globalThis.stdin = stdin;
}`;

const [code, stdin] = [readFileSync(3, 'utf8'), readFileSync(0, 'utf8')];
const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MEMORY_PAGES });
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
const runtime = quickjs.newRuntime({ maxStackSizeBytes: STACK_BYTES });
const context = runtime.newContext();
let exitCode = 0;
try {
  prepare(context, stdin);
  const error = run(context, code);
  if (error !== null) {
    writeSync(2, `${error}\n`);
    exitCode = 1;
  }
} catch {
  // What is left of it can't even say what happened.
  writeSync(2, 'The program ran out of memory or of its stack.\n');
  exitCode = 1;
}
process.exit(exitCode);

function prepare(vm: QuickJSContext, input: string): void {
  const write = vm.newFunction('write', (stream, text) => {
    writeSync(vm.getNumber(stream) === 2 ? 2 : 1, vm.getString(text));
  });
  const prelude = vm.unwrapResult(vm.evalCode(PRELUDE, 'prelude.js', { strict: true }));
  vm.unwrapResult(vm.callFunction(prelude, vm.undefined, write, vm.newString(input)));
}

/** Runs a program as a module, so that it may `await`, with all that follows from it; returns its error, null if it has none. */
function run(vm: QuickJSContext, program: string): string | null {
  const started = vm.evalCode(program, 'main.js', { type: 'module' });
  if (started.error) return describe(vm, started.error);
  for (let isMore = true; isMore; ) {
    const ran = vm.runtime.executePendingJobs();
    if (ran.error) return describe(vm, ran.error);
    isMore = ran.value > 0;
  }
  const state = vm.getPromiseState(started.value);
  if (state.type === 'rejected') return describe(vm, state.error);
  return state.type === 'pending' ? 'The program waits for something that never happens.' : null;
}

function describe(vm: QuickJSContext, handle: QuickJSHandle): string {
  const [text, stack] = [vm.getString(handle), vm.getString(vm.getProp(handle, 'stack'))];
  const known = text || 'The program threw something that has no text.';
  return stack === 'undefined' ? known : `${known}\n${stack.slice(0, LONGEST_STACK)}`.trimEnd();
}
