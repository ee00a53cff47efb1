import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, clip, path } from '../service/api.ts';
import { inputs } from './inputs.ts';
import { listed, ofRepository, readComments } from './issue-tools.ts';
import { answers, outputs, toPull, toWholePull } from './schemas.ts';

/** Most files that are given with a pull request. */
const MOST_FILES = 100;
/** As many files GitHub names of a comparison (github.com/jitterbit/get-changed-files/issues/49), without a word of the others. */
const MOST_COMPARED = 300;
/** Most characters of a commit's first line. */
const LONGEST_LINE = 200;

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
  registerChanges(server, api);
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

/** @see https://docs.github.com/en/rest/commits/commits#compare-two-commits */
function registerChanges(server: McpServer, api: Api): void {
  server.registerTool(
    'get_changes',
    {
      title: 'Get changes',
      description:
        'Gives what a branch has and another one hasn’t: its commits, and the files that they change.',
      inputSchema: inputs.changes,
      outputSchema: outputs.changes,
      annotations: READS,
    },
    ({ repository, head, base }) =>
      answering('Nothing was read.', async () => {
        const at = `${ofRepository(repository)}${path`/compare/${`${base}...${head}`}`}`;
        const { total_commits: commits, ...found } = await api(at, answers.changes);
        const sum = (count: (file: (typeof found.files)[number]) => number) =>
          found.files.reduce((all, file) => all + count(file), 0);
        const files = found.files.map(({ filename }) => filename);
        const isCut = files.length >= MOST_COMPARED;
        const sentence = `${commits} commits, ${files.length} files${isCut ? ' or more' : ''}.${files.map((it) => `\n- ${it}`).join('')}`;
        return answer(sentence, {
          commits,
          messages: found.commits.map(({ commit }) =>
            clip(commit.message.split('\n')[0] ?? '', LONGEST_LINE),
          ),
          files,
          additions: sum(({ additions }) => additions),
          deletions: sum(({ deletions }) => deletions),
          note: isCut
            ? `GitHub names ${MOST_COMPARED} files at most: there may be more, with more lines.`
            : null,
        });
      }),
  );
}
