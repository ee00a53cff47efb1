import { PATHS } from '../authorization/paths.ts';
import { ADMIN_PAGES } from '../web/admin/shell.ts';
import {
  CALLBACK_PATH,
  CALLS_PATH,
  DASHBOARD_PATH,
  KEY_PATH,
  LINK_PATH,
  NOTEBOOK_PATH,
  SESSIONS_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
  TIMELINE_PATH,
} from '../web/session/cookies.ts';
import { TOGETHER_PATH } from '../web/together.ts';
import { errors, OK } from './openapi-parts.ts';

const PAGE = { description: 'A page for people.', content: { 'text/html': { schema: { type: 'string' } } } };
const REDIRECT = { description: 'The browser is sent on.' };
const FORM = {
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
};
const CALLBACK_QUERY = ['code', 'state', 'iss', 'error'].map((name) => inQuery(name));
/** Pages know people by a cookie, and endpoints of the protocol by what it says: none asks for a key. */
const WITHOUT_KEY = { security: [] };

function describeForm(summary: string, responses: object) {
  return { ...WITHOUT_KEY, summary, requestBody: FORM, responses };
}

/** Pages on which people connect their accounts at servers. */
export function signInPaths() {
  return {
    '/oauth/start': {
      get: {
        ...WITHOUT_KEY,
        summary: 'Say what a link connects, and for whom',
        parameters: [inQuery('link')],
        responses: { 200: PAGE, 302: REDIRECT, 400: PAGE },
      },
      post: {
        ...WITHOUT_KEY,
        summary: 'Go on to the authorization server',
        requestBody: FORM,
        responses: { 200: PAGE, 302: REDIRECT, 400: PAGE },
      },
    },
    '/oauth/callback': {
      get: {
        ...WITHOUT_KEY,
        summary: 'Come back from the authorization server',
        parameters: CALLBACK_QUERY,
        responses: { 200: PAGE, 400: PAGE },
      },
    },
    '/client-metadata.json': {
      get: {
        ...WITHOUT_KEY,
        summary: 'Who we are, for authorization servers',
        responses: { 200: OK, ...errors(404) },
      },
    },
  };
}

/** Pages on which people sign in with Slack and decide. */
export function pagePaths() {
  const key = inPath('key');
  const signInFirst = { description: 'Nobody has signed in.' };
  const part = (summary: string, type: string) => ({
    get: {
      ...WITHOUT_KEY,
      summary,
      responses: {
        200: { description: 'For the page.', content: { [type]: { schema: { type: 'string' } } } },
        401: signInFirst,
      },
    },
  });
  return {
    [DASHBOARD_PATH]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Show what waits for whoever has signed in',
        responses: { 200: PAGE, 401: PAGE },
      },
    },
    [`${DASHBOARD_PATH}/waiting`]: part('The part of it that changes', 'text/html'),
    [`${DASHBOARD_PATH}/events`]: part('Tell an open page when it has changed', 'text/event-stream'),
    ...recordPagePaths(),
    ...adminPaths(),
    '/decide/{key}': {
      get: {
        ...WITHOUT_KEY,
        summary: 'Show a call to whoever may decide it',
        parameters: [key],
        responses: { 200: PAGE, 302: REDIRECT, 403: PAGE, 404: PAGE },
      },
      post: {
        ...WITHOUT_KEY,
        summary: 'Decide it',
        parameters: [key],
        requestBody: FORM,
        responses: { 200: PAGE, 302: REDIRECT, 403: PAGE, 404: PAGE },
      },
    },
    '/decide/{key}/events': {
      get: { ...part('Tell an open page when it has changed', 'text/event-stream').get, parameters: [key] },
    },
    [TOGETHER_PATH]: { post: describeForm('Decide several calls together', { 200: PAGE, 302: REDIRECT }) },
    [SIGN_IN_PATH]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Sign in with Slack',
        parameters: ['for', 'link', 'consent', 'dashboard'].map((name) => inQuery(name)),
        responses: { 302: REDIRECT, 400: PAGE },
      },
    },
    ...linkSignInPaths(),
    [CALLBACK_PATH]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Come back from Slack',
        parameters: CALLBACK_QUERY,
        responses: { 302: REDIRECT, 400: PAGE },
      },
    },
  };
}

/** Signing in without Slack’s page. */
function linkSignInPaths() {
  return {
    [LINK_PATH]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Say whom a link signs in',
        parameters: [inQuery('link')],
        responses: { 200: PAGE, 403: PAGE },
      },
      post: describeForm('Sign in by a link, which works once', { 303: REDIRECT, 403: PAGE }),
    },
    [KEY_PATH]: {
      get: { ...WITHOUT_KEY, summary: 'Ask for an API key', responses: { 200: PAGE } },
      post: describeForm('Sign in with an API key of the scope admin', {
        303: REDIRECT,
        403: PAGE,
        429: PAGE,
      }),
    },
    [SIGN_OUT_PATH]: { post: describeForm('End the session of this browser', { 303: REDIRECT, 403: PAGE }) },
  };
}

/** The pages of calls and sessions. */
function recordPagePaths() {
  const shown = (summary: string, names: readonly string[], refusals: object = {}) => ({
    get: {
      ...WITHOUT_KEY,
      summary,
      parameters: names.map((name) => inQuery(name)),
      responses: { 200: PAGE, 400: PAGE, 401: PAGE, ...refusals },
    },
  });
  const ofCall = (summary: string, found: object) => ({
    get: {
      ...WITHOUT_KEY,
      summary,
      parameters: [inPath('key')],
      responses: { 200: found, 401: PAGE, 404: PAGE },
    },
  });
  const filters = [
    ...['which', 'text', 'tool', 'state', 'person', 'program', 'session'],
    ...['from', 'to', 'zone', 'cursor'],
  ];
  return {
    [CALLS_PATH]: shown('Search the calls that whoever has signed in may see', filters),
    [`${CALLS_PATH}/{key}`]: ofCall('Show a call and what became of it', PAGE),
    [`${CALLS_PATH}/{key}/receipt`]: ofCall('Download the receipt of a call', {
      description: 'The receipt.',
      content: { 'application/jwt': { schema: { type: 'string' } } },
    }),
    [SESSIONS_PATH]: shown('List the sessions of the latest calls', ['cursor']),
    [NOTEBOOK_PATH]: shown('Save a conversation as a page of a lab notebook, in Markdown', ['thread'], {
      200: { description: 'The page.', content: { 'text/markdown': { schema: { type: 'string' } } } },
      404: PAGE,
    }),
    [TIMELINE_PATH]: shown('Show what happened in a session', ['thread', 'program', 'session', 'cursor'], {
      404: PAGE,
    }),
  };
}

/** The pages that only admins see. */
function adminPaths() {
  const refusals = { 401: PAGE, 403: PAGE };
  const shown = ADMIN_PAGES.map((name) => [
    `${DASHBOARD_PATH}/${name}`,
    { get: { ...WITHOUT_KEY, summary: `For admins: ${name}`, responses: { 200: PAGE, ...refusals } } },
  ]);
  const act = (summary: string) => ({
    post: {
      ...WITHOUT_KEY,
      summary,
      requestBody: FORM,
      responses: { 200: PAGE, 303: REDIRECT, ...refusals },
    },
  });
  const file = {
    description: 'One JSON object a line.',
    content: { 'application/jsonl': { schema: { type: 'string' } } },
  };
  return {
    ...Object.fromEntries(shown),
    [`${DASHBOARD_PATH}/audit/export`]: {
      get: { ...WITHOUT_KEY, summary: 'Download the audit', responses: { 200: file, ...refusals } },
    },
    [`${DASHBOARD_PATH}/audit/verify`]: act('Begin to verify the audit'),
    [`${DASHBOARD_PATH}/keys/make`]: act('Make a key, which is shown this once'),
    [`${DASHBOARD_PATH}/keys/revoke`]: act('Revoke a key'),
    [`${DASHBOARD_PATH}/spending/extend`]: act('Allow more of a limit until the day ends'),
    [`${DASHBOARD_PATH}/spending/take-back`]: act('Take back what was allowed of a limit'),
    [`${DASHBOARD_PATH}/connections/disconnect`]: act('End a person’s connection to a server'),
  };
}

/** We as the authorization server of `/mcp`, for programs that people let in. */
export function authorizationPaths() {
  const uid = inPath('uid');
  const metadata = (summary: string) => ({ get: { ...WITHOUT_KEY, summary, responses: { 200: OK } } });
  const endpoint = (summary: string) => ({
    post: {
      ...WITHOUT_KEY,
      summary,
      requestBody: FORM,
      responses: { 200: OK, 400: { description: 'An error of OAuth.' }, ...errors(429) },
    },
  });
  const resource = metadata('Who gives out tokens for `/mcp` (RFC 9728)');
  return {
    [PATHS.resourceMetadata]: resource,
    [`${PATHS.resourceMetadata}${PATHS.resource}`]: resource,
    [PATHS.serverMetadata]: metadata('What the authorization server can do (RFC 8414)'),
    [PATHS.authorize]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Ask a person to let a program in',
        parameters: ['client_id', 'redirect_uri', 'state', 'code_challenge'].map((name) => inQuery(name)),
        responses: { 303: REDIRECT, 400: PAGE, ...errors(429) },
      },
    },
    [`${PATHS.authorize}/{uid}`]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Go back to the program',
        parameters: [uid],
        responses: { 303: REDIRECT, 400: PAGE },
      },
    },
    [`${PATHS.consent}/{uid}`]: {
      get: {
        ...WITHOUT_KEY,
        summary: 'Show what asks to be let in',
        parameters: [uid],
        responses: { 200: PAGE, 404: PAGE },
      },
      post: {
        ...WITHOUT_KEY,
        summary: 'Let it in, or not',
        parameters: [uid],
        requestBody: FORM,
        responses: { 303: REDIRECT, 403: PAGE, 404: PAGE },
      },
    },
    [PATHS.register]: {
      post: {
        ...WITHOUT_KEY,
        summary: 'Register a client (RFC 7591)',
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 201: OK, 400: { description: 'An error of OAuth.' }, ...errors(429) },
      },
    },
    [PATHS.token]: endpoint('Get a token for a code or a refresh token'),
    [PATHS.revoke]: endpoint('Give a token back (RFC 7009)'),
  };
}

function inPath(name: string) {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

function inQuery(name: string) {
  return { name, in: 'query', required: false, schema: { type: 'string' } };
}
