import { readFileSync } from 'node:fs';
import { isSpecType, type Tool } from '@modelcontextprotocol/client';
import { parse } from 'yaml';
import { z } from 'zod';
import { toDefinition } from '../../src/mcp/tools/definition.ts';
import { modelNames } from '../../src/mcp/tools/names.ts';
import type { ToolDefinition } from '../../src/tools/ports.ts';

const FIXTURES = new URL('../fixtures/', import.meta.url);

const serverSchema = z.object({ server: z.string() });
const questionsSchema = z.array(
  z.tuple([z.string(), z.array(z.string()).min(1)]).transform(([text, tools]) => ({ text, tools })),
);

/** What somebody asks, and the tools (`server.tool`) of which one has to be found. */
export type ToolQuestion = z.infer<typeof questionsSchema>[number];

/** The tools of sixteen servers as these list them, each with its server. */
export function listedTools(): readonly { readonly server: string; readonly tool: Tool }[] {
  const listed: unknown = JSON.parse(
    readFileSync(new URL('tools-of-sixteen-servers.json', FIXTURES), 'utf8'),
  );
  return z
    .array(z.custom<Tool>((it) => isSpecType.Tool(it)))
    .parse(listed)
    .map((tool) => ({ server: serverSchema.parse(tool).server, tool }));
}

/** The same as runs are offered them. */
export function offeredTools(): readonly ToolDefinition[] {
  const listed = listedTools();
  const names = modelNames(listed.map(({ server, tool }) => ({ server, name: tool.name })));
  return listed.map(({ server, tool }, index) =>
    toDefinition(tool, { server, toolType: server, modelName: names[index] ?? '' }),
  );
}

/** The forty questions, or the twenty that the search is not tuned by. */
export function toolQuestions(which: 'forty' | 'aside'): readonly ToolQuestion[] {
  const file = which === 'forty' ? 'tool-questions.yaml' : 'tool-questions-aside.yaml';
  return questionsSchema.parse(parse(readFileSync(new URL(file, FIXTURES), 'utf8')));
}
