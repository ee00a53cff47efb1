import { html } from 'hono/html';
import type { CallRecord } from '../../../gate/types.ts';
import { recordKey } from '../../../gate/types.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { toCallAnswer } from '../../records/to-record.ts';
import { instant } from '../pages/instant.ts';
import type { Html } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH, TIMELINE_PATH } from '../session/cookies.ts';
import { DECISIONS, onBehalf, SESSIONS, STATES } from './texts.ts';

/** What a list shows of a call. */
type Outlined = Pick<CallRecord, 'threadId' | 'callId'> & {
  readonly tool: Pick<CallRecord['tool'], 'server' | 'name' | 'title'>;
};
type Address = Pick<WebPorts, 'publicUrl'>;

/** A call by its tool, with a link to its page. */
export function callLink({ publicUrl }: Address, call: Outlined): Html {
  const { server, name, title } = call.tool;
  const words = title === '' ? null : html` <small class="soft">${visible(title)}</small>`;
  return html`<a href="${publicUrl()}${CALLS_PATH}/${recordKey(call)}">${visible(`${server}.${name}`)}</a>${words}`;
}

interface OfSession extends Pick<CallRecord, 'threadId'> {
  readonly program?: Pick<NonNullable<CallRecord['program']>, 'id' | 'name' | 'session'> | undefined;
}

/** The session of a call, in words. */
export function sessionName({ program, threadId }: OfSession): string {
  return program
    ? SESSIONS.program(visible(program.name), visible(program.session))
    : SESSIONS.thread(visible(threadId));
}

/** The session of a call, with a link to its timeline. */
export function sessionLink({ publicUrl }: Address, call: OfSession): Html {
  const { program, threadId } = call;
  const which = program ? { program: program.id, session: program.session } : { thread: threadId };
  const query = new URLSearchParams(which);
  return html`<a href="${publicUrl()}${TIMELINE_PATH}?${query}">${sessionName(call)}</a>`;
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
export function stateWords({ state }: Pick<CallRecord, 'state'>): string {
  return STATES[state];
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
