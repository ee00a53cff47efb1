import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../src/gate/index.ts';
import { ProgramAccess } from '../../../src/programs/index.ts';
import type { KeyState } from '../../../src/programs/ports.ts';

const settings = { title: 'Builder', person: 'U1', channel: null, holdMs: 1, tools: ['files.*'] };
const builder = { id: 'key:builder', name: 'Builder' };
const claude = { id: 'oauth:U1:abc', name: 'Claude' };
const readFile = { server: 'files', name: 'read_file' };
const EVENTS = { server: 'calendar', name: 'list_events' };

/** Access where one key and one program of a person are in. */
function open({ hasPersonal = true } = {}) {
  const keys = new Map<string, KeyState>([['builder', 'in_force']]);
  const letIn = new Set([claude.id]);
  const isAway = { now: false };
  const access = new ProgramAccess({
    programs: { builder: settings },
    personal: hasPersonal ? settings : undefined,
    async keyStates(names) {
      if (isAway.now) throw new Error('the store is away');
      return names.map((name) => keys.get(name) ?? 'unknown');
    },
    isLetIn: async (program) => letIn.has(program),
    matches: (globs, tool) => globMatcher(globs)(tool),
  });
  return { access, keys, letIn, isAway };
}

describe('what a program may call', () => {
  it('is what its entry names, and functions of its own', async () => {
    const { access } = open();
    expect(await access.refusal(builder, readFile)).toBeNull();
    expect(await access.refusal(builder, { server: 'agent', name: 'agent_deploy' })).toBeNull();
    expect(await access.refusal(builder, EVENTS)).toBe(
      'The entry of Builder in countersign.yaml no longer names this tool.',
    );
    expect(await access.refusal(claude, readFile)).toBeNull();
    expect(await access.refusal(claude, EVENTS)).toContain('no longer names this tool');
  });

  it('is nothing once its key was revoked, or its person has taken it away', async () => {
    const { access, keys, letIn } = open();
    keys.set('builder', 'revoked');
    letIn.clear();
    expect(await access.refusal(builder, readFile)).toBe(
      'The key of Builder was revoked, so its calls do not run any more.',
    );
    expect(await access.refusal(claude, readFile)).toContain('was taken away');
  });

  it('is nothing without an entry', async () => {
    const { access } = open({ hasPersonal: false });
    const other = { id: 'key:other', name: 'Other' };
    expect(await access.refusal(other, readFile)).toContain('has no entry for Other any more');
    expect(await access.refusal({ id: 'key:toString', name: 'x' }, readFile)).toContain('no entry');
    expect(await access.refusal(claude, readFile)).toContain('no entry for Claude');
  });
});

describe('a look at the keys', () => {
  function counted(access: ProgramAccess) {
    let shrunk = 0;
    return async () => {
      await access.look(async () => {
        shrunk += 1;
      });
      return shrunk;
    };
  }

  it('tells that programs may do less at first, and when a key was revoked', async () => {
    const { access, keys } = open();
    const look = counted(access);
    expect(await look()).toBe(1);
    expect(await look()).toBe(1);
    keys.set('builder', 'revoked');
    expect(await look()).toBe(2);
    expect(await look()).toBe(2);
    access.doubt();
    expect(await look()).toBe(3);
  });

  it('notices a key that was made and revoked since the look before', async () => {
    const { access, keys } = open();
    keys.clear();
    const look = counted(access);
    expect(await look()).toBe(1);
    keys.set('builder', 'revoked');
    expect(await look()).toBe(2);
  });

  it('tells it at the next look if the store was away, or what follows failed', async () => {
    const { access, keys, isAway } = open();
    const look = counted(access);
    await look();
    keys.set('builder', 'revoked');
    isAway.now = true;
    await expect(look()).rejects.toThrow('away');
    isAway.now = false;
    await expect(access.look(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await look()).toBe(2);
    expect(await look()).toBe(2);
  });
});
