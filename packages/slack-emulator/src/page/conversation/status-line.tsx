import { displayName, useWorkspaceState } from '../shell/people.tsx';
import { useReport } from '../shell/toast.tsx';
import { send } from '../state/api.ts';
import { CONVERSATION } from '../texts.ts';

/** What the app says that it is doing in a thread, and the way to stop it. */
export function StatusLine({
  channel,
  threadTs,
  status,
}: {
  channel: string;
  threadTs: string;
  status: string;
}) {
  const { me, bot } = useWorkspaceState();
  const report = useReport();
  return (
    <div className="status" role="status">
      <span className="status-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span className="status-text">
        {displayName(bot)} {status}
      </span>
      <button
        type="button"
        className="button button-quiet"
        onClick={() => report(send('stop', { user: me.id, channel, thread_ts: threadTs }))}
      >
        {CONVERSATION.stop}
      </button>
    </div>
  );
}
