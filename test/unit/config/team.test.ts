// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfigFile } from '../../../src/config/file.ts';

function read(text: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-team-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'c.yaml'), text);
  return readConfigFile(join(folder, 'c.yaml'), env);
}

it.each([
  [
    'an unknown setting of an agent of the team',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      tool: [a.b]\n',
    'c.yaml:5: team.agents.reader.tool: there is no such setting; did you mean tools?',
  ],
  [
    'an agent of the team of a bad name',
    'team:\n  agents:\n    reader: {description: Reads.}\n    Web Search: {description: Searches.}\n',
    'c.yaml:4: team.agents.Web Search: must be lower-case letters',
  ],
  [
    'an agent of the team that nobody is told about',
    'team:\n  agents:\n    reader:\n      description: ""\n',
    'c.yaml:4: team.agents.reader.description: must',
  ],
  [
    'an agent that is another program and has tools of ours',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {tool: a.b}\n      tools: [a.c]\n',
    'c.yaml:6: team.agents.reader.tools: has no use beside "via": the other program has its own',
  ],
  [
    'an agent that is another program and has a model of ours',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {tool: a.b}\n      temperature: 0\n',
    'c.yaml:6: team.agents.reader.temperature: has no use beside "via"',
  ],
  [
    'an agent that is two programs',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {tool: a.b, url: "https://a.example"}\n',
    'c.yaml:5: team.agents.reader.via: needs exactly one of "tool", "url" and "a2a"',
  ],
  [
    'an agent that is no program',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {}\n',
    'c.yaml:5: team.agents.reader.via: needs exactly one of "tool", "url" and "a2a"',
  ],
  [
    'an agent that is reached in two ways',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {a2a: "https://b.example", url: "https://a.example"}\n',
    'c.yaml:5: team.agents.reader.via: needs exactly one of "tool", "url" and "a2a"',
  ],
  [
    'an agent that speaks A2A at no address of the web',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {a2a: "ftp://a.example"}\n',
    'c.yaml:5: team.agents.reader.via.a2a: must be an http or https address',
  ],
  [
    'an agent at no tool',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {tool: research}\n',
    'c.yaml:5: team.agents.reader.via.tool: must be a tool of a server, as server.tool',
  ],
  [
    'an agent at no address of the web',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via: {url: "file:///etc/passwd"}\n',
    'c.yaml:5: team.agents.reader.via.url: must be an http or https address',
  ],
  [
    'an agent with a password in its address',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via:\n        url: https://me:hunter2@a.example\n',
    'c.yaml:6: team.agents.reader.via.url: has a user name or a password in it',
  ],
  [
    'headers for a tool',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via:\n        tool: a.b\n        headers: {A: b}\n',
    'c.yaml:7: team.agents.reader.via.headers: are for "url" and "a2a"; a server has its own, under mcpServers',
  ],
  [
    'a variable that is not set, for an agent',
    'team:\n  agents:\n    reader:\n      description: Reads.\n      via:\n        url: https://a.example\n        headers:\n          Authorization: Bearer ${READER_TOKEN}\n',
    'c.yaml:8: agent "reader": Authorization: the environment variable READER_TOKEN is not set.',
  ],
])('names the line, for %s', async (_what, text, words) => {
  await expect(read(text)).rejects.toThrow(words);
});

it('has the headers of an agent that is another program filled from the environment, and nothing else of it', async () => {
  const text =
    'team:\n  agents:\n    reader:\n      description: Reads ${HOME}.\n      via: {url: "https://a.example", headers: {Authorization: "Bearer ${READER_TOKEN}"}}\n';
  const { team } = await read(text, { READER_TOKEN: 'abc-123', HOME: '/root' });
  expect(team.agents.reader).toMatchObject({
    description: 'Reads ${HOME}.',
    via: { url: 'https://a.example', headers: { Authorization: 'Bearer abc-123' } },
  });
});
