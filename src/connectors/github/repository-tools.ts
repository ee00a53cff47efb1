import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import { type Api, clip, path } from '../service/api.ts';
import { inputs } from './inputs.ts';
import { ofRepository } from './issue-tools.ts';
import { answers, outputs, toRepository } from './schemas.ts';

/** Longest text of a file that is given, in characters. */
const LONGEST_FILE = 100_000;

export function registerRepositoryTools(server: McpServer, api: Api): void {
  registerListings(server, api);
  server.registerTool(
    'get_repository',
    {
      title: 'Get repository',
      description: 'Gives what a repository is, such as its description and default branch.',
      inputSchema: inputs.repository,
      outputSchema: outputs.repository,
      annotations: READS,
    },
    (input) =>
      answering('Nothing was read.', async () => {
        const repository = toRepository(await api(ofRepository(input.repository), answers.repository));
        return answer(`${repository.repository}: ${repository.description ?? 'no description'}`, {
          repository,
        });
      }),
  );
  server.registerTool(
    'get_file_contents',
    {
      title: 'Get file contents',
      description: 'Gives the text of a file of a repository, or what is in a folder.',
      inputSchema: inputs.contents,
      outputSchema: outputs.contents,
      annotations: READS,
    },
    ({ repository, path: where, ref }) =>
      answering('Nothing was read.', async () => {
        const parts = where.split('/').filter((part) => part !== '');
        const at = parts.map((part) => path`/${part}`).join('');
        const asked = { query: { ref } };
        const found = await api(`${ofRepository(repository)}/contents${at}`, answers.contents, asked);
        const all = Array.isArray(found) ? found : [found];
        const entries = all.map(({ name, path: whole, type, size }) => ({
          name,
          path: whole,
          kind: type,
          bytes: size ?? null,
        }));
        const text = Array.isArray(found) ? null : decodeText(found);
        const sentence =
          text ?? `${entries.length} entries.${entries.map((it) => `\n- ${it.path}`).join('')}`;
        return answer(sentence, { entries });
      }),
  );
}

function registerListings(server: McpServer, api: Api): void {
  server.registerTool(
    'search_repositories',
    {
      title: 'Search repositories',
      description: 'Finds repositories at GitHub.',
      inputSchema: inputs.searchRepositories,
      outputSchema: outputs.foundRepositories,
      annotations: READS,
    },
    ({ query, limit, page }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { q: query, per_page: limit, page } };
        const found = await api('/search/repositories', answers.foundRepositories, asked);
        const repositories = found.items.map(toRepository);
        const names = repositories.map((it) => `\n- ${it.repository}`).join('');
        return answer(`${found.total_count} found.${names}`, { total: found.total_count, repositories });
      }),
  );
  server.registerTool(
    'list_repositories',
    {
      title: 'List own repositories',
      description: 'Lists the repositories that the person works on, the last changed first.',
      inputSchema: inputs.mine,
      outputSchema: outputs.repositories,
      annotations: READS,
    },
    ({ limit, page }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { sort: 'updated', per_page: limit, page } };
        const repositories = (await api('/user/repos', answers.repositories, asked)).map(toRepository);
        const names = repositories.map((it) => `\n- ${it.repository}`).join('');
        return answer(`${repositories.length} repositories.${names}`, { repositories });
      }),
  );
}

interface File {
  readonly type: string;
  readonly encoding?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/** @throws ToolProblem for a file whose text can't be given */
function decodeText({ type, encoding, content }: File): string {
  if (type !== 'file') throw new ToolProblem(`this is no file, but a ${type}`);
  // Of a file above 1 MB, GitHub gives no content here.
  if (encoding !== 'base64' || content == null) throw new ToolProblem('the file is too large to be read');
  const bytes = Buffer.from(content, 'base64');
  if (bytes.includes(0)) throw new ToolProblem('the file is no text');
  return clip(bytes.toString('utf8'), LONGEST_FILE);
}
