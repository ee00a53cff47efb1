import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { inputs } from './inputs.ts';
import { answers, outputs, toComments, toIssue, toWholeIssue } from './schemas.ts';

/** Most comments that are given with an issue. */
const MOST_COMMENTS = 30;

/** The path of a repository. */
export function ofRepository(repository: string): string {
  const [owner = '', name = ''] = repository.split('/');
  return path`/repos/${owner}/${name}`;
}

export function registerIssueTools(server: McpServer, api: Api): void {
  registerIssueReads(server, api);
  registerIssueWrites(server, api);
}

function registerIssueReads(server: McpServer, api: Api): void {
  server.registerTool(
    'search_issues',
    {
      title: 'Search issues',
      description: 'Finds issues or pull requests in all repositories that the person can see.',
      inputSchema: inputs.searchIssues,
      outputSchema: outputs.foundIssues,
      annotations: READS,
    },
    ({ query, kind, limit, page }) =>
      answering('Nothing was read.', async () => {
        // GitHub refuses a search without the kind: github.com/github/github-mcp-server/issues/462
        const q = `${query} is:${kind === 'issue' ? 'issue' : 'pull-request'}`;
        const asked = { query: { q, per_page: limit, page } };
        const found = await api('/search/issues', answers.foundIssues, asked);
        const issues = found.items.map((issue) => toIssue(issue));
        return answer(`${found.total_count} found.${listed(issues)}`, { total: found.total_count, issues });
      }),
  );
  server.registerTool(
    'list_issues',
    {
      title: 'List issues',
      description: 'Lists the issues of a repository, the newest first.',
      inputSchema: inputs.listIssues,
      outputSchema: outputs.issues,
      annotations: READS,
    },
    ({ repository, state, labels, limit, page }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { state, labels: labels?.join(','), per_page: limit, page } };
        const found = await api(`${ofRepository(repository)}/issues`, answers.issues, asked);
        // GitHub counts pull requests among them.
        const issues = found.filter((it) => it.pull_request == null).map((issue) => toIssue(issue));
        return answer(`${issues.length} issues of ${repository}.${listed(issues)}`, { issues });
      }),
  );
  server.registerTool(
    'get_issue',
    {
      title: 'Get issue',
      description: 'Gives an issue with its text and its first comments.',
      inputSchema: inputs.one,
      outputSchema: outputs.issue,
      annotations: READS,
    },
    ({ repository, number }) =>
      answering('Nothing was read.', async () => {
        const at = `${ofRepository(repository)}${path`/issues/${number}`}`;
        const [found, comments] = await Promise.all([api(at, answers.issue), readComments(api, at)]);
        const issue = toWholeIssue(found);
        return answer(`#${issue.number} ${issue.title} (${issue.state})`, { issue, comments });
      }),
  );
}

function registerIssueWrites(server: McpServer, api: Api): void {
  server.registerTool(
    'create_issue',
    {
      title: 'Create issue',
      description: 'Opens an issue in a repository, as the person.',
      inputSchema: inputs.createIssue,
      outputSchema: outputs.made,
      annotations: ADDS,
    },
    ({ repository, title, body, labels, assignees }) =>
      answering('Nothing was created.', async () => {
        const content = { title, body, ...(labels && { labels }), ...(assignees && { assignees }) };
        const at = `${ofRepository(repository)}/issues`;
        const made = await api(at, answers.issue, { method: 'POST', body: content });
        return answer(`Created #${made.number} in ${repository}.`, {
          number: made.number,
          url: made.html_url,
        });
      }),
  );
  server.registerTool(
    'add_comment',
    {
      title: 'Add comment',
      description: 'Comments on an issue or a pull request, as the person.',
      inputSchema: inputs.addComment,
      outputSchema: outputs.commented,
      annotations: ADDS,
    },
    ({ repository, number, body }) =>
      answering('Nothing was written.', async () => {
        const at = `${ofRepository(repository)}${path`/issues/${number}`}/comments`;
        const made = await api(at, answers.comment, { method: 'POST', body: { body } });
        return answer(`Commented on #${number} of ${repository}.`, { url: made.html_url });
      }),
  );
}

/** The first comments of an issue or a pull request, which GitHub keeps with issues. */
export async function readComments(api: Api, issuePath: string) {
  const asked = { query: { per_page: MOST_COMMENTS } };
  return toComments(await api(`${issuePath}/comments`, answers.comments, asked));
}

/** One line for each. */
export function listed(issues: readonly ReturnType<typeof toIssue>[]): string {
  return issues.map(({ number, title, state }) => `\n- #${number} ${title} (${state})`).join('');
}
