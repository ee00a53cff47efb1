import { describe, expect, it } from 'vitest';
import { findNamespaces } from '../../../../../src/app/demo-servers/code/namespaces.ts';
import { openSandbox } from '../../../../../src/app/demo-servers/code/sandbox.ts';
import { hasPython, sandbox } from '../../../../helpers/code-sandbox.ts';
import { runningBelow } from '../../../../helpers/running-below.ts';

/** As where namespaces are refused. */
const alone = await openSandbox({ hidden: [], namespaces: 'bubblewrap is not installed' });

const places = [...(hasPython ? ([['behind namespaces', sandbox]] as const) : []), ['alone', alone]] as const;

it('is all there is without namespaces, which says why', () => {
  expect(alone.languages).toEqual(['javascript']);
  expect(alone.problems).toEqual(["Python isn't offered: bubblewrap is not installed."]);
});

it('Python is not run anywhere else then', async () => {
  const program = { language: 'python', code: 'print(1)', stdin: '' } as const;
  await expect(alone.run(program)).rejects.toThrow('no sandbox for python');
});

describe.each(places)('a program in JavaScript, %s', (place, { run }) => {
  const javascript = (code: string, stdin = '') => run({ language: 'javascript', code, stdin });
  const print = async (code: string, stdin = '') => {
    const { stdout, stderr } = await javascript(code, stdin);
    return `${stdout}${stderr}`.trim();
  };

  it('runs, reads its input, waits, and says how it ended', async () => {
    const code = `
      const numbers = stdin.trim().split('\\n').map(Number);
      const sum = await Promise.resolve(numbers.reduce((a, b) => a + b));
      console.log('Σ', sum, { numbers }, [1n], null);
      console.error('warned');`;
    expect(await javascript(code, '1\n41\n')).toEqual({
      stdout: 'Σ 42 {\n  "numbers": [\n    1,\n    41\n  ]\n} 1 null\n',
      stderr: 'warned\n',
      exit_code: 0,
      timed_out: false,
      truncated: false,
    });
  });

  it.each([
    ['throw new TypeError("no")', /^TypeError: no\n {4}at .*main\.js:1/],
    ['\nconst x = ;', /^SyntaxError: .*\n {4}at main\.js:2/],
    ['await Promise.reject(new Error("late"))', /^Error: late/],
    ['throw 5', /^5$/],
    ['throw Object.create(null)', /^The program threw something that has no text/],
    ['await new Promise(() => {})', /^The program waits for something that never happens\.$/],
    ['const f = () => f() + 1; f()', /^InternalError: stack overflow/],
    ['JSON.parse("[".repeat(1e6))', /^SyntaxError: stack overflow/],
    ['eval("(".repeat(1e5))', /stack/],
  ])('is told of its mistakes: %s', async (code, error) => {
    const { stderr, exit_code } = await javascript(code);
    expect(stderr.trim()).toMatch(error);
    expect(exit_code).toBe(1);
  });

  it('has nothing of Node, of this machine or of the network', async () => {
    const names = ['process', 'require', 'module', 'Buffer', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Deno'];
    const more = ['setTimeout', 'Worker', 'WebAssembly', 'std', 'os', 'scriptArgs', 'navigator', 'write'];
    const code = `console.log(${JSON.stringify([...names, ...more])}.filter((name) => name in globalThis).length)`;
    expect(await print(code)).toBe('0');
    expect(await print('console.log(Object.keys(globalThis).join())')).toBe('console,print,stdin');
    for (const way of ['this', 'console.log', 'stdin', '(async () => {})', '[]']) {
      const program = `console.log((${way} ?? {}).constructor?.constructor?.('return typeof process')())`;
      expect(await print(program)).toBe('undefined');
    }
  });

  it.each(['fs', 'node:fs', 'std', 'os', '/etc/passwd', './javascript.ts', 'data:text/javascript,1'])(
    'imports nothing, and not %s',
    async (name) => {
      const asked = JSON.stringify(name);
      const all = ['import * as it from', asked].join(' ');
      expect(await print(`${all}; console.log('in')`)).toContain('could not load module');
      const later = `try { await import(${asked}); console.log('in') } catch { console.log('no') }`;
      expect(await print(later)).toBe('no');
    },
  );

  it.each([
    'const all = []; for (;;) all.push(new Uint8Array(1e6))',
    'let text = "x"; for (;;) text = (text + text).toUpperCase()',
    'const all = []; for (;;) all.push(new Array(1e4).fill(1.5).map(String))',
    'new ArrayBuffer(1e9)',
    'const text = "x".repeat(5e8); console.log(text.length)',
  ])('has 256 MB: %s', async (code) => {
    const { stderr, exit_code, timed_out } = await javascript(code);
    if (timed_out) return; // What is left to see is that it ended.
    expect(stderr).toMatch(/memory|invalid string length|invalid array/);
    expect(exit_code).toBe(1);
  });

  it('is ended after ten seconds, in a loop, in a pattern and in promises, with what it wrote until then', async () => {
    const endless = [
      'for (;;);',
      '/^(a+)+$/.test("a".repeat(50) + "b")',
      // What is returned would be a chain that only grows, and end at its memory.
      'const again = () => { Promise.resolve().then(again); }; again()',
    ];
    const ended = await Promise.all(endless.map((code) => javascript(`console.log('begun'); ${code}`)));
    expect(ended).toEqual(
      endless.map(() => ({
        stdout: 'begun\n',
        stderr: '',
        exit_code: null,
        timed_out: true,
        truncated: false,
      })),
    );
    expect(runningBelow().filter(({ command }) => command.includes('--permission'))).toEqual([]);
  });

  it('is ended when it writes without end', async () => {
    for (const [stream, method] of [
      ['stdout', 'log'],
      ['stderr', 'error'],
    ] as const) {
      const ended = await javascript(`for (;;) console.${method}('x'.repeat(1000))`);
      expect(ended).toMatchObject({ exit_code: null, timed_out: false, truncated: true });
      expect(ended[stream]).toHaveLength(64 * 1024);
    }
    expect(await javascript(`console.log('x'.repeat(2e6))`)).toMatchObject({ truncated: true });
  });

  it('cannot change what it prints by changing the language', async () => {
    const code = `
      String.prototype.slice = () => ({ toString() { throw 1 } });
      Array.prototype.map = () => 5;
      try { console.log('x') } catch (error) { console.error = null }
      JSON.stringify = () => { for (;;); };`;
    expect(await javascript(code)).toMatchObject({ timed_out: false });
  });

  it('may write any letters', async () => {
    expect(await print('console.log("äöü 😀 \\u202ex \\0.")')).toBe('äöü 😀 \u202ex ␀.');
  });

  it('runs in a process that is behind what it is said to be behind', async () => {
    const stop = new AbortController();
    const running = run({ language: 'javascript', code: 'for (;;);', stdin: '' }, stop.signal);
    const commands = () => runningBelow().map(({ command }) => command);
    await expect.poll(commands).toContainEqual(expect.stringContaining('--permission'));
    const behind = commands().some((command) => command.startsWith(namespaceProgram()));
    stop.abort();
    expect(await running).toMatchObject({ exit_code: null, timed_out: false });
    expect(behind).toBe(place === 'behind namespaces');
  });
});

function namespaceProgram(): string {
  const found = findNamespaces();
  return typeof found === 'string' ? 'nothing' : found.bubblewrap;
}
