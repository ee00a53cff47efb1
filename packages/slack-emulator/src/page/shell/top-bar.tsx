import type { PageState } from '../state/state.ts';
import { CONNECTION, SHELL } from '../texts.ts';
import { Avatar, BrandMark, displayName, Unread, useWorkspaceState } from './people.tsx';

const CONNECTIONS: Readonly<Record<PageState['connection'], string>> = CONNECTION;

interface TopBarProps {
  readonly connection: PageState['connection'];
  readonly onUser: (user: string) => void;
  readonly onAbout: () => void;
}

/** Which workspace this is, that it is not Slack, and who one is. */
export function TopBar({ connection, onUser, onAbout }: TopBarProps) {
  const { team, me, users, directUnread } = useWorkspaceState();
  const people = users.filter(({ isBot }) => !isBot);
  return (
    <header className="top-bar">
      <span className="top-mark">
        <BrandMark />
      </span>
      <h1>{team.name}</h1>
      <button type="button" className="stand-in" onClick={onAbout}>
        {SHELL.standIn}
      </button>
      <span className={`connection connection-${connection}`} role="status">
        <i aria-hidden="true" />
        <span className={connection === 'live' ? 'hidden' : ''}>{CONNECTIONS[connection]}</span>
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend that does not fit a bar */}
      <div className="people" role="group" aria-label={SHELL.whoYouAre}>
        <span className="people-lead">{SHELL.youAre}</span>
        {people.map((user) => (
          <button
            key={user.id}
            type="button"
            className="person"
            aria-pressed={user.id === me.id}
            title={SHELL.actAs(displayName(user))}
            onClick={() => onUser(user.id)}
          >
            <Avatar user={user} size="small" />
            <span className="person-name">{displayName(user).split(' ')[0]}</span>
            {/* One's own stand beside the conversation. */}
            {user.id !== me.id && <Unread count={directUnread[user.id] ?? 0} />}
          </button>
        ))}
      </div>
    </header>
  );
}
