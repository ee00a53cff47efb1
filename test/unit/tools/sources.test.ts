import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/lib/errors.ts';
import type { CallOptions, ToolSource } from '../../../src/tools/ports.ts';
import { combineToolSources } from '../../../src/tools/sources.ts';
import { createFakeHub, success } from '../../helpers/fake-hub.ts';

const options: CallOptions = {
  signal: new AbortController().signal,
  onProgress: () => {},
  onElicit: async () => ({ action: 'cancel', content: null }),
};

function source(name: string, server: string, tool: string) {
  const hub = createFakeHub({
    server,
    name: tool,
    run: () => ({ kind: 'ended', outcome: success(`sent by ${name}`) }),
  });
  const tools: ToolSource['tools'] = async () =>
    (await hub.tools()).filter((definition) => definition.server === server);
  return { name, servers: [server], tools, send: hub.send, sent: hub.sent };
}

describe('tool sources together', () => {
  it('list the tools of all, by server and name', async () => {
    const all = combineToolSources([
      source('Notes', 'notes', 'search'),
      source('Memory', 'memory', 'recall'),
    ]);
    expect((await all.tools()).map(({ server, name }) => `${server}.${name}`)).toEqual([
      'memory.recall',
      'notes.search',
    ]);
  });

  it('send a call through the source that has its server, and through no other', async () => {
    const [notes, memory] = [source('Notes', 'notes', 'search'), source('Memory', 'memory', 'search')];
    const all = combineToolSources([notes, memory]);
    expect(await all.send({ server: 'memory', name: 'search', arguments: {} }, options)).toEqual({
      kind: 'ended',
      outcome: success('sent by Memory'),
    });
    expect([notes.sent.length, memory.sent.length]).toEqual([0, 1]);
  });

  it('send nothing to a server that none of them has', async () => {
    const all = combineToolSources([source('Notes', 'notes', 'search')]);
    expect(await all.send({ server: 'other', name: 'search', arguments: {} }, options)).toMatchObject({
      outcome: { status: 'failed', message: 'No server called other is configured; nothing was done.' },
    });
  });

  it('have a server each: rules could not tell two of one name apart', () => {
    const twice = () => combineToolSources([source('MCP', 'notes', 'a'), source('Knowledge', 'notes', 'b')]);
    expect(twice).toThrow(ConfigError);
    expect(twice).toThrow('Both MCP and Knowledge have a server called "notes".');
  });
});
