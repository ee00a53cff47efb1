import { clip, oneLine } from '../../presentation/text/clip.ts';
import { plainTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { MailboxItem, ThreadRecord } from '../../runs/index.ts';
import type { LiveEvent } from '../../runs/ports.ts';
import { parseSlackThreadId } from '../ids.ts';
import { describeProgress } from '../text/progress.ts';
import { LIVE } from '../texts/messages.ts';
import type { AnswerStreamPorts } from './answer-stream.ts';
import { AnswerStreams } from './answer-streams.ts';
import { StatusLine, type StatusPorts } from './status-line.ts';

/** The longest title of a thread's session, in characters; Slack takes 200. */
const TITLE_LENGTH = 80;

/**
 * Live output while the agent works: a status, and the answer as it is written. It is best effort: nothing
 * depends on it, and failures are ignored. Threads of other surfaces have none.
 */
export function createPresenter(ports: AnswerStreamPorts & StatusPorts) {
  const streams = new AnswerStreams(ports);
  const status = new StatusLine(ports);

  function work(threadId: string, item: MailboxItem | null, words: string): void {
    const title = clip(oneLine(visible(item?.text ?? '')).trim(), TITLE_LENGTH);
    status.set(threadId, { state: 'processing', words, title });
  }

  return {
    observe(thread: ThreadRecord, item: MailboxItem | null, event: LiveEvent): void {
      const place = parseSlackThreadId(thread.threadId);
      if (!place) return;
      // What an agent of a team says is for those who word the answer; its plan shows how far it is, and its plan's thread
      // whether anything is done.
      if (thread.task) return;
      switch (event.type) {
        case 'status':
          work(thread.threadId, item, describeWork(event.text));
          return;
        case 'idle':
          status.rest(thread.threadId, event.waitsForPeople ? 'suspended' : 'active');
          return;
        case 'token':
          if (item) streams.add(item, place, event.text);
          return;
        case 'interim':
          if (item) streams.pause(item.itemId);
          return;
        case 'step': {
          const title = visible(plainTitle(event.text));
          const step = { id: event.stepId, title: title === '' ? LIVE.working : title, state: event.state };
          if (item) streams.show(item, place, step);
          return;
        }
        case 'tool_progress': {
          const words = `${describeProgress(event.progress, event.title) || LIVE.working}…`;
          work(thread.threadId, item, words);
          // A session's status has no words, so the step's task says them.
          if (item) streams.tell(item.itemId, event.callId, words);
          return;
        }
      }
    },

    /** See {@link AnswerStreams.finish}. */
    finish: (itemId: string): Promise<string | null> => streams.finish(itemId),
    /** See {@link AnswerStreams.takeBack}. */
    takeBack: (threadId: string): void => streams.takeBack(threadId),
    /** Ends the status of work: the agent waits for people (`suspended`), or has answered (`active`). */
    rest: (threadId: string, state: 'suspended' | 'active'): void => status.set(threadId, { state }),
    /** A message of the app has been posted in a thread. `isLast`: it stays below whatever is streamed there. */
    posted(threadId: string, { isLast }: { readonly isLast: boolean }): void {
      status.posted(threadId);
      const place = parseSlackThreadId(threadId);
      if (place !== null && !isLast) streams.moveBelow(place);
    },
    stop: (): void => status.stop(),
  };
}

/** A status may be made of titles that servers gave, so it has no signs but those of prose. */
function describeWork(text: string): string {
  const words = visible(plainTitle(text)).replace(/…$/, '');
  return `${words === '' ? LIVE.working : words}…`;
}
