import { useEffect, useState } from 'react';
import type { PageChannel, PageMessage } from '../../server/page-api.ts';
import { Home } from '../home.tsx';
import { Avatar, displayName, findUser, useWorkspaceState } from '../shell/people.tsx';
import { repliesTo, replyCount, rootMessages, statusKey } from '../state/state.ts';
import { timeOfDay } from '../text/time.ts';
import { COMPOSER, CONVERSATION } from '../texts.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { StatusLine } from './status-line.tsx';
import { Welcome } from './welcome.tsx';

interface ConversationProps {
  readonly channel: PageChannel;
  readonly title: string;
  /** Null while they are being fetched. */
  readonly messages: readonly PageMessage[] | null;
  readonly statuses: Readonly<Record<string, string>>;
  readonly showsHome: boolean;
  /** The thread that is open beside it, which shows its own status. */
  readonly openThread: string | null;
  readonly onDetail: (detail: string | null) => void;
  readonly onHome: () => void;
  readonly onBack: () => void;
}

/** A channel, or the direct messages with the app and its Home. */
export function Conversation(props: ConversationProps) {
  const { channel, title, messages, statuses, showsHome, openThread, onDetail, onHome, onBack } = props;
  const { bot } = useWorkspaceState();
  const [inserted, setInserted] = useState<string | null>(null);
  const awaiting = useFollowedThread(channel.id, messages, statuses, onDetail);
  const direct = channel.kind === 'im';
  const roots = rootMessages(messages ?? []);

  return (
    <section className="pane conversation" aria-label={title}>
      <header className="pane-head">
        <button
          type="button"
          className="icon-button back"
          aria-label={CONVERSATION.allChannels}
          onClick={onBack}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d="M10 3 5 8l5 5" />
          </svg>
        </button>
        {direct && <Avatar user={bot} size="small" />}
        <h2>{title}</h2>
        {direct && (
          <div className="tabs" role="tablist" aria-label={title}>
            <button type="button" role="tab" aria-selected={!showsHome} onClick={() => onDetail(null)}>
              {CONVERSATION.messages}
            </button>
            <button type="button" role="tab" aria-selected={showsHome} onClick={onHome}>
              {CONVERSATION.home}
            </button>
          </div>
        )}
      </header>
      {showsHome ? (
        <Home />
      ) : (
        <>
          <MessageList
            label={title}
            messages={roots}
            onReply={onDetail}
            head={
              messages !== null && roots.length === 0 && <Welcome channel={channel} onExample={setInserted} />
            }
            under={(message) => (
              <ThreadSummary
                message={message}
                replies={repliesTo(messages ?? [], message.ts)}
                status={message.ts === openThread ? undefined : statuses[statusKey(channel.id, message.ts)]}
                onOpen={() => onDetail(message.ts)}
              />
            )}
          />
          <Composer
            key={channel.id}
            channel={channel.id}
            threadTs={null}
            placeholder={COMPOSER.message(direct ? displayName(bot) : title)}
            offersMention={!direct}
            inserted={inserted}
            onInserted={() => setInserted(null)}
            onPosted={(ts, text) => {
              if (direct || text.includes(`<@${bot.id}>`)) awaiting(ts);
            }}
          />
        </>
      )}
    </section>
  );
}

/** Opens the thread in which the app begins to answer what was just written to it. */
function useFollowedThread(
  channel: string,
  messages: readonly PageMessage[] | null,
  statuses: Readonly<Record<string, string>>,
  onDetail: (detail: string) => void,
): (ts: string) => void {
  const [awaited, setAwaited] = useState<string | null>(null);
  const answered =
    awaited !== null &&
    (repliesTo(messages ?? [], awaited).length > 0 || statuses[statusKey(channel, awaited)] !== undefined);
  useEffect(() => {
    if (!answered || awaited === null) return;
    setAwaited(null);
    onDetail(awaited);
  }, [answered, awaited, onDetail]);
  return setAwaited;
}

interface ThreadSummaryProps {
  readonly message: PageMessage;
  readonly replies: readonly PageMessage[];
  readonly status: string | undefined;
  readonly onOpen: () => void;
}

function ThreadSummary({ message, replies, status, onOpen }: ThreadSummaryProps) {
  const workspace = useWorkspaceState();
  const last = replies.at(-1);
  const authors = [...new Set(replies.map(({ user }) => user))].slice(0, 4);
  return (
    <>
      {last !== undefined && (
        <button type="button" className="thread-link" onClick={onOpen}>
          <span className="thread-faces">
            {authors.map((id) => (
              <Avatar key={id} user={findUser(workspace, id)} size="small" />
            ))}
          </span>
          <strong>{replyCount(replies)}</strong>
          <span className="thread-last">{CONVERSATION.lastReply(timeOfDay(last.ts))}</span>
        </button>
      )}
      {status !== undefined && <StatusLine channel={message.channel} threadTs={message.ts} status={status} />}
    </>
  );
}
