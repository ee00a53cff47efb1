import { useEffect, useRef } from 'react';
import type { PageChannel, PageMessage } from '../../server/page-api.ts';
import { repliesTo } from '../state/state.ts';
import { COMPOSER, CONVERSATION } from '../texts.ts';
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
  const panel = useFocus(threadTs);
  const root = messages.filter(({ ts }) => ts === threadTs);
  const replies = repliesTo(messages, threadTs);
  return (
    <aside ref={panel} className="pane thread" aria-label={CONVERSATION.thread}>
      <header className="pane-head">
        <div>
          <h2>{CONVERSATION.thread}</h2>
          <p className="pane-sub">{channelTitle}</p>
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label={CONVERSATION.closeThread}
          title={CONVERSATION.closeThreadByKey}
          onClick={onClose}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d="m3.500 3.500 9 9m0-9-9 9" />
          </svg>
        </button>
      </header>
      <MessageList
        key={threadTs}
        label={CONVERSATION.thread}
        messages={[...root, ...replies]}
        foot={status !== undefined && <StatusLine channel={channel.id} threadTs={threadTs} status={status} />}
      />
      <Composer
        key={`composer-${threadTs}`}
        channel={channel.id}
        threadTs={threadTs}
        placeholder={COMPOSER.reply}
        offersMention={false}
      />
    </aside>
  );
}

function withoutFrame(pane: HTMLElement): void {
  pane.classList.add('unframed');
  pane.addEventListener('blur', () => pane.classList.remove('unframed'), { once: true });
}

/**
 * Takes the keyboard along to a thread that was opened by a button, and back to that button when it closes. Who is
 * writing while a thread opens by itself goes on writing.
 */
function useFocus(threadTs: string) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    const isWriting = activeElement instanceof HTMLTextAreaElement && activeElement.checkVisibility();
    const pane = panel.current?.querySelector<HTMLElement>('.scroller');
    if (!isWriting && pane) {
      // Browsers frame what a script focuses after typing, or at first. Only who came by keyboard looks for a frame.
      const isByKeyboard =
        activeElement instanceof HTMLButtonElement && activeElement.matches(':focus-visible');
      if (!isByKeyboard) withoutFrame(pane);
      pane.focus();
    }
    return () => {
      if (document.activeElement !== document.body) return;
      document.querySelector<HTMLElement>(`[data-ts="${CSS.escape(threadTs)}"] .thread-link`)?.focus();
    };
  }, [threadTs]);
  return panel;
}
