import { html } from 'hono/html';
import type { CallOutline } from '../../../gate/index.ts';
import type { CallRecord } from '../../../gate/types.ts';
import { recordKey } from '../../../gate/types.ts';
import { stopperName } from '../../../presentation/outcome-text.ts';
import { clipAtWord, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { readOpening } from '../../../runs/index.ts';
import type { Store } from '../../../storage/store.ts';
import { toCallAnswer } from '../../records/to-record.ts';
import { instant } from '../pages/instant.ts';
import type { Html } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH, TIMELINE_PATH } from '../session/cookies.ts';
import { DECISIONS, onBehalf, SESSIONS, STATES, stoppedBy } from './texts.ts';
import { ownOnly, type Viewer } from './viewer.ts';

/** What a list shows of a call. */
type Outlined = Pick<CallRecord, 'threadId' | 'callId'> & {
  readonly tool: Pick<CallRecord['tool'], 'server' | 'name'>;
};
type Address = Pick<WebPorts, 'publicUrl'>;

/** A call by its tool, with a link to its page, and the sentence that heads its card. */
export function callLink(
  { publicUrl }: Address,
  call: Outlined,
  headlines: ReadonlyMap<string, string>,
): Html {
  const { server, name } = call.tool;
  const key = recordKey(call);
  const sentence = headlines.get(key);
  return html`<a href="${publicUrl()}${CALLS_PATH}/${key}">${visible(`${server}.${name}`)}</a>${
    sentence === undefined ? null : html`<br>${sentence}`
  }`;
}

interface OfSession extends Pick<CallRecord, 'threadId'> {
  readonly program?: Pick<NonNullable<CallRecord['program']>, 'id' | 'name' | 'session'> | undefined;
}

/** The session of a call, in words. */
function sessionName({ program, threadId }: OfSession): string {
  return program
    ? SESSIONS.program(visible(program.name), visible(program.session))
    : SESSIONS.thread(visible(threadId));
}

/** What {@link nameSession} needs. */
interface SessionPorts {
  readonly store: Store;
  readonly place: WebPorts['place'];
}

/**
 * The session of a call by where it is and how it began, as far as that is known: for whoever doesn't see all of it, with
 * their own first words.
 */
export async function nameSession(
  { store, place }: SessionPorts,
  viewer: Viewer,
  call: OfSession,
): Promise<string> {
  if (call.program) return sessionName(call);
  const { threadId } = call;
  const [where, opening] = await Promise.all([
    place(threadId),
    readOpening(store, threadId, ownOnly(viewer)),
  ]);
  const words = clipAtWord(oneLine(visible(opening)), OPENING_LENGTH);
  const name = where === null ? sessionName(call) : visible(where);
  return words === '' ? name : SESSIONS.begun(name, words);
}

/** The most of a session's first words that is shown, in characters. */
const OPENING_LENGTH = 80;

/** The session of a call, with a link to its timeline. */
export function sessionLink({ publicUrl }: Address, call: OfSession, name = sessionName(call)): Html {
  const { program, threadId } = call;
  const which = program ? { program: program.id, session: program.session } : { thread: threadId };
  const query = new URLSearchParams(which);
  return html`<a href="${publicUrl()}${TIMELINE_PATH}?${query}">${name}</a>`;
}

/** Who decided what about a call, and when, in order; one item each. */
export function decisionItems(call: CallRecord): readonly Html[] {
  return toCallAnswer(call).decisions.map((decision) => {
    const { type, by, at, feedback } = decision;
    const behalf = decision.for === null ? '' : ` ${onBehalf(visible(decision.for.name))}`;
    const why = feedback ? html` <q>${visible(feedback)}</q>` : null;
    return html`<li>${DECISIONS[type]} ${visible(by.name)}${behalf}, ${instant(Date.parse(at))}${why}</li>`;
  });
}

/** The state of a call. */
export function stateWords(call: Pick<CallOutline, 'state' | 'outcome'>): string {
  const stopper = stopperName(call);
  return stopper === null ? STATES[call.state] : stoppedBy(visible(stopper));
}

/** The link to the next page of a list; without what the query leaves empty. */
export function olderLink(
  { publicUrl }: Address,
  path: string,
  query: Readonly<Record<string, string>>,
  words: string,
): Html {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return html`<p><a href="${publicUrl()}${path}?${given}">${words}</a></p>`;
}
