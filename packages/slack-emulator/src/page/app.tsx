import { useCallback, useEffect, useState } from 'react';
import { personCookie } from '../server/last-person.ts';
import type { WorkspaceState } from '../server/page-api.ts';
import { ANA } from '../workspace/seed.ts';
import { Conversation } from './conversation/conversation.tsx';
import { ThreadPanel } from './conversation/thread-panel.tsx';
import { Modals } from './modal.tsx';
import { About } from './shell/about.tsx';
import { Announcer } from './shell/announcer.tsx';
import { Notices } from './shell/notices.tsx';
import { displayName, WorkspaceProvider } from './shell/people.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { ToastProvider, useConnectionBack, useReport } from './shell/toast.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { send } from './state/api.ts';
import { formatRoute, HOME, type Route } from './state/route.ts';
import { type PageState, statusKey } from './state/state.ts';
import { useRoute } from './state/use-route.ts';
import { useWorkspace } from './state/use-workspace.ts';
import { CONNECTION, SHELL } from './texts.ts';

/** The whole page. Everything below belongs to one person and starts afresh for another. */
export function App() {
  const [route, navigate] = useRoute();
  const user = route.user ?? ANA;
  return (
    <ToastProvider>
      <Personal key={user} user={user} route={route} navigate={navigate} />
    </ToastProvider>
  );
}

interface PersonalProps {
  readonly user: string;
  readonly route: Route;
  readonly navigate: (change: Partial<Route>) => void;
}

function Personal({ user, route, navigate }: PersonalProps) {
  const { state, open, problem } = useWorkspace(user);
  usePersonCookie(user);
  useConnectionBack(state.connection === 'live');
  const { workspace } = state;
  if (workspace === null) {
    return (
      <p className="loading" role="status">
        {problem ?? CONNECTION.opening}
      </p>
    );
  }
  return (
    <WorkspaceProvider value={workspace}>
      <Shell workspace={workspace} state={state} open={open} route={route} navigate={navigate} />
    </WorkspaceProvider>
  );
}

/** Lets the pages that others lead to know who this one is used as: where people sign in, and links to threads. */
function usePersonCookie(user: string): void {
  useEffect(() => {
    if (!/^\w+$/.test(user)) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = personCookie(user);
  }, [user]);
}

interface ShellProps extends Omit<PersonalProps, 'user'> {
  readonly workspace: WorkspaceState;
  readonly state: PageState;
  readonly open: (channel: string) => void;
}

function Shell({ workspace, state, open, route, navigate }: ShellProps) {
  const { me, bot, channels, appConnected, notices } = workspace;
  const [about, setAbout] = useState(false);
  const named = channels.find(({ id }) => id === route.channel);
  // Without a channel in the address a phone shows the list; a wide page shows the first one beside it.
  const channel = named ?? channels.find(({ kind }) => kind === 'im') ?? channels[0];
  const thread = named === undefined || route.detail === HOME ? null : route.detail;
  const title = channel?.kind === 'im' ? displayName(bot) : `#${channel?.name ?? ''}`;
  const channelId = channel?.id ?? null;
  const messages = channelId === null ? null : (state.messages[channelId] ?? null);

  useEffect(() => {
    if (channelId !== null) open(channelId);
  }, [channelId, open]);
  useEffect(() => {
    // Replaced, not pushed: going back from here must leave the page.
    if (route.user === null)
      location.replace(formatRoute({ user: me.id, channel: channelId, detail: thread }));
  }, [route.user, me.id, channelId, thread]);
  useReadMark(me.id, channelId, channel?.unread ?? 0);
  useTitle(
    workspace.texts.title,
    channels.reduce((sum, { unread }) => sum + unread, 0),
  );
  const onDetail = useCallback(
    (detail: string | null) => navigate({ user: me.id, channel: channelId, detail }),
    [navigate, me.id, channelId],
  );
  useEscape(thread === null ? null : onDetail);

  const pane = named === undefined ? 'list' : thread === null ? 'conversation' : 'thread';
  return (
    <div className={`shell pane-${pane}${thread === null ? '' : ' has-thread'}`}>
      <TopBar
        connection={state.connection}
        onUser={(user) =>
          // A thread of a channel is everybody's; direct messages are each person's own.
          navigate({
            user,
            ...(channel?.kind === 'channel'
              ? { channel: channelId, detail: thread }
              : { channel: null, detail: null }),
          })
        }
        onAbout={() => setAbout(true)}
      />
      {state.connection === 'lost' ? (
        <p className="banner" role="status">
          <strong>{CONNECTION.isLost}</strong> {CONNECTION.whileLost}
        </p>
      ) : (
        !appConnected && (
          <p className="banner" role="status">
            <strong>{CONNECTION.appIsLost(displayName(bot))}</strong> {CONNECTION.whileAppIsLost}
          </p>
        )
      )}
      <Notices notices={notices} />
      <div className="panes">
        <Sidebar
          current={channelId}
          onOpen={(id) => navigate({ user: me.id, channel: id, detail: null })}
          onAbout={() => setAbout(true)}
        />
        <main className="content">
          {channel !== undefined && (
            <Conversation
              key={channel.id}
              channel={channel}
              title={title}
              messages={messages}
              statuses={state.statuses}
              showsHome={route.detail === HOME}
              openThread={thread}
              onDetail={onDetail}
              onHome={() => onDetail(HOME)}
              onBack={() => navigate({ user: me.id, channel: null, detail: null })}
            />
          )}
          {channel !== undefined && thread !== null && (
            <ThreadPanel
              channel={channel}
              channelTitle={title}
              threadTs={thread}
              messages={messages ?? []}
              status={state.statuses[statusKey(channel.id, thread)]}
              onClose={() => onDetail(null)}
            />
          )}
        </main>
      </div>
      <Modals />
      {about && <About onClose={() => setAbout(false)} />}
      <Announcer messages={messages} />
    </div>
  );
}

/** Tells the workspace that what is on the screen has been read. */
function useReadMark(user: string, channel: string | null, unread: number): void {
  const report = useReport();
  useEffect(() => {
    if (channel === null || unread === 0) return;
    const mark = () => {
      if (document.visibilityState === 'visible') report(send('read', { user, channel }));
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [user, channel, unread, report]);
}

function useTitle(title: string, unread: number): void {
  useEffect(() => {
    document.title = SHELL.tabTitle(title, unread);
  }, [title, unread]);
}

/** Esc closes the thread, unless something in front of it (a modal, a menu) took the key first. */
function useEscape(close: ((detail: null) => void) | null): void {
  useEffect(() => {
    if (close === null) return;
    const onKey = (event: KeyboardEvent) => {
      const inFront = document.querySelector('dialog[open], [popover]:popover-open');
      if (event.key === 'Escape' && !event.defaultPrevented && inFront === null) close(null);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [close]);
}
