import type { PageChannel, PageMessage } from '../../server/page-api.ts';
import { repliesTo } from '../state/state.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { StatusLine } from './status-line.tsx';

interface ThreadPanelProps {
  readonly channel: PageChannel;
  /** How the channel is called in a heading. */
  readonly channelTitle: string;
  readonly threadTs: string;
  readonly messages: readonly PageMessage[];
  readonly status: string | undefined;
  readonly onClose: () => void;
}

/** One thread beside its channel. */
export function ThreadPanel({
  channel,
  channelTitle,
  threadTs,
  messages,
  status,
  onClose,
}: ThreadPanelProps) {
  const root = messages.filter(({ ts }) => ts === threadTs);
  const replies = repliesTo(messages, threadTs);
  return (
    <aside className="pane thread" aria-label="Thread">
      <header className="pane-head">
        <div>
          <h2>Thread</h2>
          <p className="pane-sub">{channelTitle}</p>
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label="Close thread"
          title="Close (Esc)"
          onClick={onClose}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d="m3.500 3.500 9 9m0-9-9 9" />
          </svg>
        </button>
      </header>
      <MessageList
        key={threadTs}
        label="Thread"
        messages={[...root, ...replies]}
        foot={status !== undefined && <StatusLine channel={channel.id} threadTs={threadTs} status={status} />}
      />
      <Composer
        key={`composer-${threadTs}`}
        channel={channel.id}
        threadTs={threadTs}
        placeholder="Reply…"
        offersMention={false}
      />
    </aside>
  );
}
