import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { listed, ofRepository, readComments } from './issue-tools.ts';
import { answers, inputs, outputs, toPull, toWholePull } from './schemas.ts';

/** Most files that are given with a pull request. */
const MOST_FILES = 100;

export function registerPullTools(server: McpServer, api: Api): void {
  server.registerTool(
    'list_pull_requests',
    {
      title: 'List pull requests',
      description: 'Lists the pull requests of a repository, the newest first.',
      inputSchema: inputs.listPullRequests,
      outputSchema: outputs.pulls,
      annotations: READS,
    },
    ({ repository, state, limit, page }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { state, per_page: limit, page } };
        const found = await api(`${ofRepository(repository)}/pulls`, answers.pulls, asked);
        const pulls = found.map((pull) => toPull(pull));
        const sentence = `${pulls.length} pull requests of ${repository}.${listed(pulls)}`;
        return answer(sentence, { pull_requests: pulls });
      }),
  );
  server.registerTool(
    'get_pull_request',
    {
      title: 'Get pull request',
      description: 'Gives a pull request with its text, the files that it changes, and its first comments.',
      inputSchema: inputs.one,
      outputSchema: outputs.pull,
      annotations: READS,
    },
    ({ repository, number }) =>
      answering('Nothing was read.', async () => {
        const at = ofRepository(repository);
        const asked = { query: { per_page: MOST_FILES } };
        const [found, changed, comments] = await Promise.all([
          api(`${at}${path`/pulls/${number}`}`, answers.pull),
          api(`${at}${path`/pulls/${number}`}/files`, answers.files, asked),
          readComments(api, `${at}${path`/issues/${number}`}`),
        ]);
        const pull = toWholePull(found);
        const files = changed.map(({ filename, status, additions, deletions }) => ({
          path: filename,
          change: status,
          additions,
          deletions,
        }));
        const sentence = `#${pull.number} ${pull.title} (${pull.state}): ${pull.from} into ${pull.into}, ${files.length} files`;
        return answer(sentence, { pull_request: pull, files, comments });
      }),
  );
  server.registerTool(
    'create_pull_request',
    {
      title: 'Create pull request',
      description: 'Opens a pull request for a branch that is already at GitHub, as the person.',
      inputSchema: inputs.createPullRequest,
      outputSchema: outputs.made,
      annotations: ADDS,
    },
    ({ repository, ...content }) =>
      answering('Nothing was created.', async () => {
        const at = `${ofRepository(repository)}/pulls`;
        const made = await api(at, answers.pull, { method: 'POST', body: content });
        return answer(`Created #${made.number} in ${repository}.`, {
          number: made.number,
          url: made.html_url,
        });
      }),
  );
}
