import type { Connector } from '../../mcp/ports.ts';
import { adaptSlack, REVOCATION_METHOD, TOKEN_METHOD } from './adapt.ts';
import { inputs } from './schemas.ts';
import { createSlackServer, identifySelf } from './server.ts';

/**
 * What people are asked for: to search, to list and read conversations of each kind, to post, and to find people and open direct
 * messages with them.
 * @see https://docs.slack.dev/reference/scopes
 */
const SCOPES = [
  'search:read',
  ...['channels', 'groups', 'mpim', 'im'].flatMap((kind) => [`${kind}:read`, `${kind}:history`]),
  'chat:write',
  'users:read',
  'users:read.email',
  'im:write',
];

/** Slack as the person: their channels and direct messages, searching, reading and posting. */
export const connector: Connector = {
  apiUrl: 'https://slack.com/api',
  signIn: {
    account: null,
    scopes: SCOPES,
    // Who signs in again mostly gets the same token, which ends with the one it replaced: without token rotation, the
    // whole authorization does. github.com/slackapi/bolt-python/issues/969, docs.slack.dev/authentication/using-token-rotation
    revokesAll: true,
    identify: identifySelf,
    // Slack's second pair of endpoints, for user tokens alone, has the scopes as `scope` and the token where OAuth has them;
    // the other one has `user_scope` and `authed_user`. Slack's own server uses it, and its metadata has PKCE and the way in
    // which the secret is sent: mcp.slack.com/.well-known/oauth-authorization-server,
    // docs.slack.dev/reference/methods/oauth.v2.user.access
    authorizationServer({ apiUrl, signInUrl }) {
      const base = (signInUrl ?? 'https://slack.com').replace(/\/$/, '');
      const api = apiUrl.replace(/\/$/, '');
      return {
        issuer: base,
        authorization_endpoint: `${base}/oauth/v2_user/authorize`,
        token_endpoint: `${api}${TOKEN_METHOD}`,
        revocation_endpoint: `${api}${REVOCATION_METHOD}`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['client_secret_post'],
      };
    },
  },
  adapt: adaptSlack,
  createServer: createSlackServer,
  inputs: {
    search_messages: inputs.search,
    read_channel: inputs.history,
    get_thread: inputs.thread,
    get_channel: inputs.channel,
    get_person: inputs.person,
    post_message: inputs.post,
    send_direct_message: inputs.directMessage,
  },
  cards: {
    send_direct_message: {
      title: ['Send a direct message to {was}', 'Send a direct message to {person}'],
      lookUp: {
        name: 'get_person',
        show: ['person.display_name', 'person.title', 'person.email', 'person.outsider'],
        isRequired: true,
      },
    },
    post_message: {
      title: ['Post in {was}'],
      lookUp: { name: 'get_channel', show: ['channel.kind', 'channel.members'], isRequired: true },
    },
  },
};
