import { SlackRefusal } from '../errors.ts';
import { setStatus } from '../workspace/messages.ts';
import { AGENT_SESSION_STATUSES } from '../workspace/types.ts';
import { optional, required } from './arguments.ts';
import { agentThread } from './assistant.ts';
import type { Methods } from './method.ts';

/** What people see while a session is processing; the status itself has no words. */
const WORKING = 'is working…';
/**
 * Slack ends `processing` after a while by itself (`agent_session.date_status_processing_expire`); people
 * report up to an hour.
 */
const PROCESSING_MS = 3_600_000;
const TITLE_CHARACTERS = 200;

/**
 * Agent sessions: https://docs.slack.dev/ai/agent-sessions and
 * https://docs.slack.dev/reference/methods/agents.sessions.setStatus. A message of the app does not end
 * `processing`, as it ends the status of `assistant.threads.setStatus`.
 */
export const sessionMethods: Methods = {
  'agents.sessions.setStatus': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      const { channel, threadTs } = agentThread(workspace, args);
      const status = AGENT_SESSION_STATUSES.find((it) => it === required(args, 'status'));
      const title = optional(args, 'title');
      if (status === undefined || (title?.length ?? 0) > TITLE_CHARACTERS) {
        throw new SlackRefusal('invalid_arguments');
      }
      const key = `${channel.id}:${threadTs}`;
      const session = { status, title: workspace.sessions.get(key)?.title ?? title ?? '' };
      workspace.sessions.set(key, session);
      setStatus(workspace, channel.id, threadTs, status === 'processing' ? WORKING : '');
      if (status === 'processing') {
        workspace.clock.after(PROCESSING_MS, () => {
          if (workspace.sessions.get(key) !== session) return;
          workspace.sessions.set(key, { ...session, status: 'active' });
          setStatus(workspace, channel.id, threadTs, '');
        });
      }
      const warning = 'missing_agent_session_stopped_event_subscription';
      const canStop = workspace.app.subscriptions.includes('agent_session_stopped');
      return {
        status,
        agent_status: status,
        title: session.title,
        ...(canStop ? {} : { warning, response_metadata: { warnings: [warning] } }),
      };
    },
  },
};
