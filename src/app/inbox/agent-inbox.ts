import { setTimeout as delay } from 'node:timers/promises';
import type { AgentInbox } from '../../agents/ports.ts';
import type { FileConfig } from '../../config/file.ts';
import { type CallRecord, recordKey } from '../../gate/types.ts';
import type { Inbox } from '../../inbox/index.ts';
import type { Lesson } from '../../inbox/ports.ts';
import { backoff } from '../../lib/backoff.ts';
import type { Logger } from '../../lib/logger.ts';

interface AgentInboxPorts {
  readonly inbox: Pick<
    Inbox,
    'mailOf' | 'recallFor' | 'learnFrom' | 'agentAccepted' | 'agentDone' | 'agentLeft'
  >;
  readonly file: Pick<FileConfig, 'inbox' | 'servers'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Waits so many milliseconds. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

const NO_MAILS = { marked: 0, stay: 0 };
const CALENDAR_CONNECTOR = 'google-calendar';
const CALENDAR_SERVER = 'calendar';

/** How often it's tried to tell the inbox something. A run that failed for that would say so of a mail that was answered. */
const MOST_TRIED = 5;
const AGAIN = { firstMs: 250, longestMs: 2_000 };

/** What the graph that answers mails asks and tells the inbox, again after a while where its store fails. */
export function createAgentInbox({ inbox, file, log, wait = delay }: AgentInboxPorts): AgentInbox {
  const calendar = findCalendar(file);

  async function tryTo<T>(work: () => Promise<T>, failed: (err: unknown) => T): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (err) {
        if (attempt === MOST_TRIED) return failed(err);
        await wait(backoff(attempt, AGAIN));
      }
    }
  }
  return {
    async mailOf(threadId) {
      const found = await inbox.mailOf(threadId);
      if (!found) return null;
      const { mailbox, mail } = found;
      const { messageId, threadId: conversationId } = mail;
      return { server: mailbox.server, messageId, conversationId, calendar, owner: mailbox.owner };
    },
    /**
     * Nothing else that is remembered of the owner: it would get into mails. And nothing to the run of anybody else, who may have
     * written in the mail's thread.
     */
    recall: (account, threadId) =>
      tryTo(
        async () => {
          const found = await inbox.mailOf(threadId);
          if (found === null || account.owner !== found.mailbox.owner.id) return null;
          const { background, ...preferences } = await inbox.recallFor(found.mailbox);
          const { response_preferences: replies, cal_preferences: meetings } = preferences;
          return { background, response_preferences: [...replies], cal_preferences: [...meetings] };
        },
        (err) => {
          log.warn({ err }, 'failed to read how mail is answered');
          return null;
        },
      ),
    decided: (calls) =>
      tryTo(
        async () => {
          // Who accepts one of several drafts wants answers to this sender.
          const accepted = calls.filter(
            ({ decision }) => decision?.type === 'approve' || decision?.type === 'edit',
          );
          const isAnswered = accepted.length > 0;
          const draft = accepted.find((call) => readTool(call) !== null);
          if (draft) await inbox.agentAccepted(draft.threadId);
          for (const lesson of calls.map(toLesson)) {
            if (lesson && !(isAnswered && lesson.kind === 'ignore')) await inbox.learnFrom(lesson);
          }
        },
        (err) => log.warn({ err }, 'failed to note what was done with a draft'),
      ),
    marked: (threadId, messageId, how) =>
      tryTo(
        () => inbox.agentDone(threadId, messageId, how),
        (err) => {
          log.warn({ err }, 'failed to note that a mail is done');
          return NO_MAILS;
        },
      ),
    left: (threadId) =>
      tryTo(
        () => inbox.agentLeft(threadId),
        (err) => {
          log.warn({ err }, 'failed to note that a mail was left unread');
          return 0;
        },
      ),
  };
}

/** What somebody did with a draft of the graph's; null where there is nothing to be learned from it. */
function toLesson(call: CallRecord): Lesson | null {
  const { decision, edits = [], threadId, state, proposedArguments, arguments: args } = call;
  const tool = readTool(call);
  if (tool === null || decision === null) return null;
  const own = { id: recordKey(call), threadId, tool, before: null, after: null, words: '' };
  const { actor, type, feedback } = decision;
  switch (type) {
    case 'ignore':
      // Who withdraws a draft, as for a newer mail, says nothing of it.
      if (state !== 'ignored') return null;
      return { ...own, kind: 'ignore', personId: actor.id };
    case 'reject':
    case 'answer':
      return feedback === null ? null : { ...own, kind: 'respond', personId: actor.id, words: feedback };
    case 'approve':
    case 'edit': {
      const [editor, ...others] = new Set(edits.map(({ by }) => by.id));
      // Of what several have edited, nobody knows whose wish which line is, and of what failed whether it was right.
      if (editor === undefined || others.length > 0 || state !== 'succeeded')
        return { ...own, kind: 'accept', personId: actor.id };
      return { ...own, kind: 'edit', personId: editor, before: proposedArguments, after: args };
    }
  }
}

function readTool({ tool: { graph, modelName } }: CallRecord): Lesson['tool'] | null {
  if (graph !== 'inbox') return null;
  const isOne = modelName === 'send_email' || modelName === 'schedule_meeting' || modelName === 'Question';
  return isOne ? modelName : null;
}

/** The server of the calendar in which meetings from mails are looked up and added. */
function findCalendar({ inbox, servers }: AgentInboxPorts['file']): string {
  const [connected] = Object.entries(servers).flatMap(([name, config]) =>
    'connector' in config && config.connector === CALENDAR_CONNECTOR ? [name] : [],
  );
  return inbox.calendar ?? connected ?? CALENDAR_SERVER;
}
