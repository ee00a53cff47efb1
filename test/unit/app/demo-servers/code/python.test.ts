import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findNamespaces } from '../../../../../src/app/demo-servers/code/namespaces.ts';
import { openSandbox } from '../../../../../src/app/demo-servers/code/sandbox.ts';
import { listen } from '../../../../fixtures/mcp/harness.ts';
import { attempt, hasPython, python, sandbox } from '../../../../helpers/code-sandbox.ts';
import { temporaryFolder } from '../../../../helpers/process.ts';
import { runningBelow } from '../../../../helpers/running-below.ts';

const KERNEL = `
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *values):
    result = libc.syscall(number, *values)
    return 'done' if result >= 0 else errno.errorcode[ctypes.get_errno()]
`;

describe.runIf(hasPython)('a program in Python', () => {
  it('runs, reads its input, and says how it ended', async () => {
    const code = 'import sys\nprint(sum(map(int, sys.stdin)))\nsys.exit(3)';
    expect(await sandbox.run({ language: 'python', code, stdin: '1\n2\n39\n' })).toEqual({
      stdout: '42\n',
      stderr: '',
      exit_code: 3,
      timed_out: false,
      truncated: false,
    });
  });

  it('is told of its mistakes with their lines', async () => {
    expect(await python('x = 1\ny = x / 0')).toMatch(/main\.py", line 2[\s\S]*ZeroDivisionError/);
    expect(await python('x = = 1')).toContain('SyntaxError');
  });

  it.each([
    ['this machine’s Redis', `('127.0.0.1', 6379)`],
    ['the metadata of a cloud', `('169.254.169.254', 80)`],
    ['an address on the internet', `('1.1.1.1', 53)`],
  ])('does not reach %s', async (_, address) => {
    expect(await python(`import socket${attempt(`socket.create_connection(${address}, 2)`)}`)).toBe(
      'PermissionError',
    );
  });

  it('does not reach a server of ours, nor the machine below by vsock, netlink or a socket of the system', async () => {
    const port = await listen(createServer());
    const sockets = ['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_VSOCK', 'AF_NETLINK', 'AF_PACKET'];
    const code = [
      'import socket',
      ...sockets.map((family) => attempt(`socket.socket(socket.${family}, socket.SOCK_RAW)`)),
      attempt(`socket.create_connection(('127.0.0.1', ${port}))`),
    ].join('\n');
    expect(await python(code)).toBe(Array(7).fill('PermissionError').join('\n'));
  });

  it('sees none of our files, by name or by link', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), 'k1:secret');
    const ours = [join(folder, 'secret'), folder, homedir(), process.cwd(), '/etc/passwd', '/etc/shadow'];
    const code = [
      'import os',
      ...[...ours, '/tmp', '/var', '/run', '/sys', '/proc/1/environ', '/proc/self/mem'].map((path) =>
        attempt(`open('${path}')`),
      ),
      attempt(`os.symlink('/etc/passwd', 'link') or open('link')`),
      attempt(`os.listdir('/proc')`),
      attempt(`open('/sandbox/../etc/passwd')`),
    ].join('\n');
    expect(await python(code)).toBe(Array(15).fill('FileNotFoundError').join('\n'));
    expect(
      await python('import os; print(sorted(os.listdir("/etc")) if os.path.exists("/etc") else [])'),
    ).toMatch(/^\[('alternatives')?\]$/);
  });

  it('has an environment with nothing of ours', async () => {
    expect(await python('import os; print(*sorted(os.environ))')).toBe(
      'HOME LANG OPENBLAS_NUM_THREADS PATH PWD TMPDIR',
    );
  });

  it('writes only in its own folder, and only so much', async () => {
    const paths = ['/x', '/usr/bin/x', '/usr/lib/x', '/dev/x', '/dev/shm/x', '/sandbox/../x'];
    const code = [
      'import os',
      ...paths.map((path) => attempt(`open('${path}', 'w')`)),
      attempt(`os.symlink('/usr/bin/x', 'link') or open('link', 'w')`),
      attempt(`os.remove('/usr/bin/env')`),
      attempt(`open('mine', 'w').write('x')`),
      attempt(`[open(str(n), 'wb').write(bytes(8 * 2**20)) for n in range(5)]`),
    ].join('\n');
    expect((await python(code)).split('\n')).toEqual([
      'OSError',
      'OSError',
      'OSError',
      'OSError',
      'FileNotFoundError',
      'OSError',
      'OSError',
      'OSError',
      '1',
      'OSError',
    ]);
  });

  it('makes only so many files, folders and links, whose names and places the kernel keeps in memory', async () => {
    const code = `
import os
def fill():
    for number in range(20_000): os.symlink('x' * 120, str(number))
${attempt('fill()')}
print(len(os.listdir()))
os.remove('0')
${attempt(`os.mkdir('one')`)}
${attempt(`os.mkdir('more')`)}`;
    expect((await python(code)).split('\n')).toEqual(['OSError', '9999', 'None', 'OSError']);
  });

  it('starts no other process, and no more threads than its memory holds', async () => {
    const code = `
import os, subprocess, threading, time
${attempt('os.fork()')}
${attempt(`subprocess.run(['/usr/bin/env'])`)}
${attempt(`os.posix_spawn('/usr/bin/env', ['env'], {})`)}
def bomb():
    while True: os.fork()
${attempt('bomb()')}
def start():
    while True: threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
${attempt('start()')}
print(threading.active_count() < 64)
os._exit(0)`;
    expect((await python(code)).split('\n')).toEqual([
      'PermissionError',
      'PermissionError',
      'PermissionError',
      'PermissionError',
      'RuntimeError',
      'True',
    ]);
  });

  it('has 256 MB, in whatever way it takes them', async () => {
    const code = `
import mmap, os
${attempt('len(bytearray(100_000_000))')}
${attempt('bytearray(300_000_000)')}
${attempt('[bytearray(1_000_000) for _ in range(1_000)]')}
${attempt('mmap.mmap(-1, 300_000_000)')}
${attempt(`os.memfd_create('x')`)}`;
    expect((await python(code)).split('\n')).toEqual([
      '100000000',
      'MemoryError',
      'MemoryError',
      'OSError',
      'PermissionError',
    ]);
  });

  it('may not ask the kernel for what leads out, or isn’t counted', async () => {
    const numbers: Readonly<Record<string, readonly number[]>> = {
      // ptrace, unshare, mount, bpf, keyctl, io_uring_setup, shmget, process_vm_readv, setns, then what would
      // make something, if it were allowed: semget, msgget, inotify_init1, fanotify_init
      x64: [101, 272, 165, 321, 250, 425, 29, 310, 308, 64, 68, 294, 300],
      arm64: [117, 97, 40, 280, 219, 425, 194, 270, 268, 190, 186, 26, 262],
    };
    const calls = (numbers[process.arch] ?? []).map((number) => `print(call(${number}, 0, 1, 0o1600, 0, 0))`);
    // A clone with a user namespace of its own, and clone3.
    const clone = process.arch === 'x64' ? 56 : 220;
    const more = [`print(call(${clone}, 0x10000000 | 17, 0, 0, 0, 0))`, 'print(call(435, 0, 0))'];
    expect((await python([KERNEL, ...calls, ...more].join('\n'))).split('\n')).toEqual([
      ...calls.map(() => 'EPERM'),
      'EPERM',
      'ENOSYS',
    ]);
  });

  it('can signal nobody, and has no terminal', async () => {
    const code = `
import os, signal
print(os.getppid() in (0, 1, 2))
${attempt(`os.kill(${process.pid}, 0)`)}
${attempt(`os.open('/dev/tty', os.O_RDWR)`)}
${attempt('os.tcgetpgrp(0)')}
${attempt('os.kill(1, signal.SIGKILL)')}
print(os.getpid() < 10)`;
    expect((await python(code)).split('\n')).toEqual([
      'True',
      'ProcessLookupError',
      'FileNotFoundError',
      'OSError',
      'None',
      'True',
    ]);
  });

  it('is ended after ten seconds, with what it wrote until then, and leaves nothing that runs', async () => {
    const code = `
import signal, sys
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU): signal.signal(number, signal.SIG_IGN)
print('begun')
while True: pass`;
    const ended = await sandbox.run({ language: 'python', code, stdin: '' });
    expect(ended).toEqual({
      stdout: 'begun\n',
      stderr: '',
      exit_code: null,
      timed_out: true,
      truncated: false,
    });
    await expect.poll(() => runningBelow().filter(({ command }) => command.includes('main.py'))).toEqual([]);
  });

  it('is ended when it writes without end', async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const code = `import sys\nwhile True: sys.${stream}.write('0123456789' * 100)`;
      const ended = await sandbox.run({ language: 'python', code, stdin: '' });
      expect(ended).toMatchObject({ exit_code: null, timed_out: false, truncated: true });
      expect(ended[stream]).toHaveLength(64 * 1024);
    }
  });

  it('may write any bytes and any letters', async () => {
    const code = `import sys\nsys.stdout.buffer.write(b'\\xff\\x00\\xfe ' + 'äöü 😀 ‮x'.encode())`;
    expect(await python(code)).toBe('\ufffd\0\ufffd äöü 😀 ‮x');
  });

  it('need not read its input', async () => {
    const { exit_code } = await sandbox.run({
      language: 'python',
      code: 'pass',
      stdin: 'x'.repeat(1_000_000),
    });
    expect(exit_code).toBe(0);
  });

  it('does not see the files of another that runs at the same time, or ran before', async () => {
    const code = `
import os, sys, time
name = sys.stdin.read()
open(name, 'w').write(name)
time.sleep(1)
print(sorted(os.listdir('/sandbox')))`;
    const both = await Promise.all([python(code, 'one'), python(code, 'two')]);
    expect(both).toEqual([`['main.py', 'one']`, `['main.py', 'two']`]);
    expect(await python('import os; print(os.listdir("."))')).toBe(`['main.py']`);
  });

  it('ends when whoever asked for it no longer wants it', async () => {
    const stop = new AbortController();
    const running = sandbox.run({ language: 'python', code: 'while True: pass', stdin: '' }, stop.signal);
    await expect.poll(() => runningBelow().some(({ command }) => command.includes('main.py'))).toBe(true);
    stop.abort();
    expect(await running).toMatchObject({ exit_code: null, timed_out: false });
  });

  it('ends when the program that runs it is killed', async () => {
    const source = new URL('../../../../../src/app/demo-servers/code/sandbox.ts', import.meta.url).href;
    const script = `
      const { openSandbox } = await import(${JSON.stringify(source)});
      const sandbox = await openSandbox({ hidden: [] });
      console.log('open');
      await sandbox.run({ language: 'python', code: 'import time\\ntime.sleep(9)', stdin: '' });`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    const isProgram = ({ command }: { command: string }) => command.startsWith('/usr/bin/python3');
    await expect.poll(() => runningBelow(host.pid).some(isProgram), { timeout: 20_000 }).toBe(true);
    const { pid = 0 } = runningBelow(host.pid).find(isProgram) ?? {};
    host.kill('SIGKILL');
    await expect.poll(() => runs(pid)).toBe(false);
  });
});

describe.runIf(hasPython)('the sandbox', () => {
  it('offers no Python where a program could do more than it may', async () => {
    const namespaces = findNamespaces();
    if (typeof namespaces === 'string') throw new TypeError(namespaces);
    // A filter that allows everything: BPF_RET with SECCOMP_RET_ALLOW.
    const filter = Buffer.from('060000000000ff7f', 'hex');
    const { languages, problems } = await openSandbox({ hidden: [], namespaces: { ...namespaces, filter } });
    expect(languages).toEqual(['javascript']);
    expect(problems).toEqual(["Python isn't offered: a program could reach the network, more processes."]);
  });

  it('offers no Python where a program could see what is to be hidden', async () => {
    const { languages, problems } = await openSandbox({ hidden: ['/usr/lib'] });
    expect(languages).toEqual(['javascript']);
    expect(problems).toEqual(["Python isn't offered: a program could reach /usr/lib."]);
  });

  it('offers no Python where bubblewrap can’t do its work, and says what it said', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    const bubblewrap = join(folder, 'bin/bwrap');
    symlinkSync('/bin/false', bubblewrap);
    const { languages, problems } = await openSandbox({
      hidden: [],
      namespaces: { bubblewrap, filter: Buffer.alloc(0) },
    });
    expect(languages).toEqual(['javascript']);
    expect(problems).toEqual(["Python isn't offered: it ended with exit code 1."]);
  });
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
