import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import type { PageMessage } from '../../server/page-api.ts';
import { useWorkspaceState } from '../shell/people.tsx';
import { dateOfTs, dayName } from '../text/time.ts';
import { Message } from './message.tsx';

/** Messages of one person closer together than this stand under one name; Slack's own rule, in seconds. */
const GROUP_SECONDS = 300;
/** How far from the end one may have scrolled and still be taken along by new messages, in pixels. */
const NEAR_END = 120;

interface MessageListProps {
  readonly label: string;
  readonly messages: readonly PageMessage[];
  /** What stands under a message, such as its thread. */
  readonly under?: (message: PageMessage) => ReactNode;
  readonly onReply?: (ts: string) => void;
  readonly head?: ReactNode;
  readonly foot?: ReactNode;
}

/**
 * Messages with day separators; stays at the end unless somebody scrolled away from it, and goes there for what they write
 * themselves, and for what only they see. If the last message is higher than
 * the pane when that is opened, its beginning is shown.
 */
export function MessageList({ label, messages, under, onReply, head, foot }: MessageListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  /** The last message when the pane was opened; null before there is one, and once somebody has scrolled. */
  const openedAt = useRef<string | null>(null);
  const hasScrolled = useRef(false);
  /** Where the pane was scrolled to by itself. */
  const aim = useRef(0);

  const { me } = useWorkspaceState();
  const last = messages.at(-1);
  const lastOwn = last !== undefined && (last.user === me.id || last.ephemeral) ? last.ts : null;
  const wasOwn = useRef(lastOwn);
  // Before the pane hears of its new size.
  useLayoutEffect(() => {
    if (lastOwn !== null && lastOwn !== wasOwn.current && !atEnd.current) {
      atEnd.current = true;
      openedAt.current = null;
    }
    wasOwn.current = lastOwn;
  }, [lastOwn]);

  useEffect(() => {
    const pane = scroller.current;
    if (pane === null || content.current === null) return;
    const stay = () => {
      if (!atEnd.current) return;
      const last = [...pane.querySelectorAll<HTMLElement>('.messages > [data-ts]')].at(-1);
      if (!hasScrolled.current) openedAt.current ??= last?.dataset.ts ?? null;
      const isAsOpened = last !== undefined && last.dataset.ts === openedAt.current;
      pane.scrollTop = isAsOpened ? pane.scrollTop + distance(pane, last) : pane.scrollHeight;
      aim.current = pane.scrollTop;
    };
    const observer = new ResizeObserver(stay);
    observer.observe(content.current);
    observer.observe(pane);
    return () => observer.disconnect();
  }, []);

  return (
    <div
      ref={scroller}
      className="scroller"
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: pane }) => {
        const isByPerson = Math.abs(pane.scrollTop - aim.current) > 1;
        const leaves = pane.scrollTop < top.current || (isByPerson && openedAt.current !== null);
        // More may have come between the scrolling and this event: only who scrolls up leaves the end, or whoever scrolls
        // in a message that was opened at its beginning.
        if (pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_END) atEnd.current = true;
        else if (leaves) atEnd.current = false;
        if (isByPerson) {
          hasScrolled.current = true;
          openedAt.current = null;
        }
        top.current = pane.scrollTop;
      }}
    >
      <div ref={content} className="messages">
        {head}
        {messages.map((message, index) => {
          const previous = messages[index - 1];
          const newDay = previous === undefined || !sameDay(previous, message);
          return (
            <Fragment key={message.ts}>
              {newDay && <DaySeparator message={message} />}
              <Message
                message={message}
                compact={!newDay && previous !== undefined && follows(previous, message)}
                {...(onReply === undefined ? {} : { onReply })}
              >
                {under?.(message)}
              </Message>
            </Fragment>
          );
        })}
        {foot}
      </div>
    </div>
  );
}

/** How far a message's beginning is below the top of its pane, in pixels; the browser scrolls no further than the end. */
function distance(pane: HTMLElement, message: HTMLElement): number {
  return message.getBoundingClientRect().top - pane.getBoundingClientRect().top;
}

function DaySeparator({ message }: { message: PageMessage }) {
  return (
    <div className="day">
      <span>{dayName(dateOfTs(message.ts), new Date())}</span>
    </div>
  );
}

function sameDay(a: PageMessage, b: PageMessage): boolean {
  return dateOfTs(a.ts).toDateString() === dateOfTs(b.ts).toDateString();
}

function follows(previous: PageMessage, message: PageMessage): boolean {
  return (
    previous.user === message.user &&
    previous.ephemeral === message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUP_SECONDS
  );
}
