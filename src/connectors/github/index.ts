import type { Connector } from '../../mcp/ports.ts';
import { adaptGitHub, TOKEN_PATH } from './adapt.ts';
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
  cards: {
    create_pull_request: {
      title: ['Open pull request {title} from {head} into {base}'],
      lookUp: { name: 'get_changes', show: ['commits', 'files', 'additions', 'deletions', 'note'] },
    },
    add_comment: {
      title: ['Comment on #{number} in {repository}'],
      lookUp: { name: 'get_issue', show: ['issue.title', 'issue.author'] },
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
