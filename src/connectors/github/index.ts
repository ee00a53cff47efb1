import type { Connector } from '../../mcp/ports.ts';
import { adaptGitHub, TOKEN_PATH } from './adapt.ts';
import { inputs } from './inputs.ts';
import { createGitHubServer, identifyUser } from './server.ts';

/** GitHub, also as GitHub Enterprise: issues, pull requests, repositories and files. */
export const connector: Connector = {
  apiUrl: 'https://api.github.com',
  signIn: {
    account: null,
    // There is no lesser one with which private repositories can be read.
    scopes: ['repo'],
    revokesAll: false,
    identify: identifyUser,
    authorizationServer({ apiUrl, signInUrl, clientId }) {
      const base = (signInUrl ?? 'https://github.com').replace(/\/$/, '');
      return {
        // What GitHub says of itself when people return: github.com/openiddict/openiddict-core/pull/2529
        issuer: `${base}/login/oauth`,
        authorization_endpoint: `${base}/login/oauth/authorize`,
        token_endpoint: `${base}${TOKEN_PATH}`,
        revocation_endpoint: `${apiUrl.replace(/\/$/, '')}/applications/${encodeURIComponent(clientId)}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
      };
    },
  },
  adapt: adaptGitHub,
  createServer: createGitHubServer,
  inputs: {
    search_issues: inputs.searchIssues,
    list_issues: inputs.listIssues,
    get_issue: inputs.one,
    list_pull_requests: inputs.listPullRequests,
    get_pull_request: inputs.one,
    search_repositories: inputs.searchRepositories,
    get_repository: inputs.repository,
    get_file_contents: inputs.contents,
    get_changes: inputs.changes,
    check_repository_name: inputs.checkName,
    create_issue: inputs.createIssue,
    add_comment: inputs.addComment,
    create_pull_request: inputs.createPullRequest,
    create_repository: inputs.createRepository,
  },
  cards: {
    create_repository: {
      title: [
        'Create repository {was} as {visibility}',
        // It's then private, which stands among what isn't said.
        'Create repository {was}',
        'Create repository {name} of {owner} as {visibility}',
        'Create repository {name} of {owner}',
      ],
      lookUp: {
        name: 'check_repository_name',
        show: ['repository.owner', 'repository.owner_is'],
        isRequired: true,
      },
    },
    create_pull_request: {
      title: ['Open pull request {title} from {head} into {base}'],
      lookUp: { name: 'get_changes', show: ['commits', 'files', 'additions', 'deletions', 'note'] },
    },
    add_comment: {
      title: ['Comment on #{number} in {repository}'],
      lookUp: { name: 'get_issue', show: ['issue.title', 'issue.author'], isRequired: true },
    },
  },
  triggers: {
    issue_opened: {
      words: ['an issue is opened in {repository}', 'an issue is created in {repository}'],
      parts: { repository: { matches: /[\w.-]+\/[\w.-]*\w/, example: 'octocat/hello-world' } },
      // One that is closed at once was opened, too.
      list: {
        tool: 'list_issues',
        arguments: { repository: '{repository}', state: 'all', limit: 50 },
      },
      things: { in: 'issues', id: 'number', since: 'created_at' },
      read: { tool: 'get_issue', arguments: { repository: '{repository}', number: '{id}' } },
    },
  },
};
