import type { ReactNode } from 'react';
import type { PageChannel } from '../../server/page-api.ts';
import { SHELL } from '../texts.ts';
import { Avatar, displayName, Unread, useWorkspaceState } from './people.tsx';

interface SidebarProps {
  readonly current: string | null;
  readonly onOpen: (channel: string) => void;
  readonly onAbout: () => void;
}

/** Channels, then the direct messages with the app, with unread marks. */
export function Sidebar({ current, onOpen, onAbout }: SidebarProps) {
  const { channels, bot, texts } = useWorkspaceState();
  const rooms = channels.filter(({ kind }) => kind === 'channel');
  const direct = channels.filter(({ kind }) => kind !== 'channel');
  return (
    <nav className="sidebar" aria-label={SHELL.places}>
      <h2>{SHELL.apps}</h2>
      <ul>
        {direct.map((channel) => (
          <ChannelLink key={channel.id} channel={channel} current={current} onOpen={onOpen}>
            <Avatar user={bot} size="small" />
            <span className="channel-name">{displayName(bot)}</span>
          </ChannelLink>
        ))}
      </ul>
      <h2>{SHELL.channels}</h2>
      <ul>
        {rooms.map((channel) => (
          <ChannelLink key={channel.id} channel={channel} current={current} onOpen={onOpen}>
            <span className="channel-hash" aria-hidden="true">
              #
            </span>
            <span className="channel-name">{channel.name}</span>
          </ChannelLink>
        ))}
      </ul>
      {texts.links.length > 0 && (
        <>
          <h2>{SHELL.links}</h2>
          <ul>
            {texts.links.map(({ label, href }) => (
              <li key={href}>
                <a className="channel" href={href}>
                  <span className="channel-name">{label}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <button type="button" className="about" onClick={onAbout}>
        <strong>{SHELL.isStandIn}</strong>
        <span>{SHELL.nothingReachesSlack}</span>
      </button>
    </nav>
  );
}

interface ChannelLinkProps {
  readonly channel: PageChannel;
  readonly current: string | null;
  readonly onOpen: (channel: string) => void;
  readonly children: ReactNode;
}

function ChannelLink({ channel, current, onOpen, children }: ChannelLinkProps) {
  return (
    <li>
      <button
        type="button"
        className={`channel${channel.unread > 0 ? ' channel-unread' : ''}`}
        aria-current={channel.id === current ? 'page' : undefined}
        onClick={() => onOpen(channel.id)}
      >
        {children}
        <Unread count={channel.unread} />
      </button>
    </li>
  );
}
