/** The page's calls to the local workspace. */

import { isJsonObject, type JsonObject } from '../../json.ts';
import type { PageMessage, WorkspaceState } from '../../server/page-api.ts';
import { readObject, readObjects, readString } from '../blocks/block-kit.ts';
import { CONNECTION } from '../texts.ts';

/** This tab, until it is loaded anew: modals open in the one that was clicked in. */
const CLIENT = randomId();

/** The workspace said no, in words for people. */
class RefusedError extends Error {}

/** Nothing answered, as while the server is away. */
export class NotSentError extends Error {
  constructor(cause: unknown, then: string = CONNECTION.lookAgain) {
    super(CONNECTION.noAnswer(then), { cause });
  }
}

/** An id of the page's own making. `crypto.randomUUID` is missing where the page is not on this machine. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * The workspace as one person sees it. What comes back is this program's own contract (`page-api.ts`),
 * so it is typed and not parsed again.
 */
export async function fetchState(user: string): Promise<WorkspaceState> {
  return await answer(await fetch(address('state', { user })));
}

export async function fetchHistory(user: string, channel: string): Promise<readonly PageMessage[]> {
  const body: { messages: PageMessage[] } = await answer(await fetch(address('history', { user, channel })));
  return body.messages;
}

export function eventsUrl(user: string): string {
  return address('events', { user });
}

/**
 * One of the POST routes, such as `post` or `click`. Throws `RefusedError` with the workspace's words, and
 * `NotSentError` where nothing answers.
 */
export function send(route: string, body: JsonObject): Promise<JsonObject> {
  return post(address(route, {}), 'application/json', JSON.stringify(body));
}

/** Uploads a file, which a post can then name by the id that is answered. */
export function upload(user: string, file: File): Promise<JsonObject> {
  return post(address('upload', { user, name: file.name }), 'application/octet-stream', file);
}

async function post(url: string, type: string, body: BodyInit): Promise<JsonObject> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body }).catch(
    (error: unknown) => {
      // Whatever the browser calls it: "Failed to fetch", "Load failed", "NetworkError when …".
      throw new NotSentError(error);
    },
  );
  const answered: unknown = await answer(response);
  return isJsonObject(answered) ? answered : {};
}

function address(route: string, query: Readonly<Record<string, string>>): string {
  return `/workspace/${route}?${new URLSearchParams({ ...query, client: CLIENT })}`;
}

async function answer<Body>(response: Response): Promise<Body> {
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  const said = readString(readObject(body).error);
  throw new RefusedError(said === '' ? CONNECTION.refused(response.status) : said);
}

/** The errors of a submitted view: block_id → text. */
export function submitErrors(answered: JsonObject): Record<string, string> {
  const [errors] = readObjects([answered.errors]);
  return Object.fromEntries(
    Object.entries(errors ?? {}).map(([blockId, text]) => [blockId, readString(text)]),
  );
}
