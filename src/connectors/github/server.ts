import { McpServer } from '@modelcontextprotocol/server';
import type { Service } from '../../mcp/ports.ts';
import { createApi } from '../service/api.ts';
import { registerIssueTools } from './issue-tools.ts';
import { registerPullTools } from './pull-tools.ts';
import { registerRepositoryTools } from './repository-tools.ts';

/**
 * Fixes the form of GitHub's answers.
 * @see https://docs.github.com/en/rest/about-the-rest-api/api-versions
 */
const HEADERS = {
  Accept: 'application/vnd.github+json',
  'X-GitHub-Api-Version': '2022-11-28',
  'User-Agent': 'countersign',
};

/** An MCP server of one person's GitHub. */
export function createGitHubServer(service: Service): McpServer {
  const server = new McpServer({ name: 'github', title: 'GitHub', version: '1.0.0' });
  const api = createApi(service, { title: 'GitHub', headers: HEADERS });
  registerIssueTools(server, api);
  registerPullTools(server, api);
  registerRepositoryTools(server, api);
  return server;
}
