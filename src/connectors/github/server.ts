import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Service } from '../../mcp/ports.ts';
import { type Api, createApi } from '../service/api.ts';
import { registerCreation } from './creation-tools.ts';
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
  const api = githubApi(service);
  registerIssueTools(server, api);
  registerPullTools(server, api);
  registerRepositoryTools(server, api);
  registerCreation(server, api);
  return server;
}

const userSchema = z.object({ id: z.int(), login: z.string().min(1) });

/** Whose account it is. @see https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
export async function identifyUser(service: Pick<Service, 'fetch' | 'apiUrl'>) {
  const { id, login } = await githubApi(service)('/user', userSchema);
  return { id: String(id), name: login };
}

function githubApi(service: Pick<Service, 'fetch' | 'apiUrl'>): Api {
  return createApi(service, { title: 'GitHub', headers: HEADERS });
}
