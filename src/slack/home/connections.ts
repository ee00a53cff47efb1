import type { KnownBlock } from '@slack/types';
import type { PersonalConnection } from '../../oauth/ports.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { button, confirmation, context, plain } from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { CONNECTIONS } from '../texts/home.ts';

/** The most servers listed with a button each; the others are counted. */
const LISTED = 15;
const LINE_LENGTH = 300;
const ACCOUNT_LENGTH = 100;
/** Of a server's name in the question whether to disconnect it, and how many are named: Slack takes 300 characters. */
const SERVER_LENGTH = 30;
const MOST_SERVERS = 4;

/** The viewer's own connections, to servers where everybody signs in for themselves. */
export interface ConnectionsView {
  readonly connections: readonly PersonalConnection[];
  /** IANA zone of the viewer. */
  readonly timeZone: string;
}

/** The connections section of App Home; nothing where no server needs a sign-in. */
export function connectionBlocks({ connections, timeZone }: ConnectionsView): KnownBlock[] {
  if (connections.length === 0) return [];
  const left = connections.length - LISTED;
  return [
    { type: 'header', block_id: 'header:connections', text: plain(CONNECTIONS.title, 150) },
    ...connections.slice(0, LISTED).map((one, index) => connectionBlock(one, index, timeZone)),
    ...(left > 0 ? [context('connections:more', CONNECTIONS.more(left))] : []),
  ];
}

function connectionBlock(one: PersonalConnection, index: number, timeZone: string): KnownBlock {
  const words = plain(
    clip(CONNECTIONS.line(isolated(sentence(one.server)), describeConnection(one, timeZone)), LINE_LENGTH),
  );
  const base = { type: 'section', block_id: `connection:${index}`, text: words } as const;
  switch (one.state) {
    case 'setup_required':
      return base;
    case 'sign_in_required':
      return { ...base, accessory: button(ACTIONS.connectServer, CONNECTIONS.connect, one.server) };
    case 'connected': {
      const ends = CONNECTIONS.disconnectWarning(
        one.servers.map((server) => clip(sentence(server), SERVER_LENGTH)).slice(0, MOST_SERVERS),
      );
      const confirm = confirmation(CONNECTIONS.disconnectTitle, ends, CONNECTIONS.disconnect);
      return {
        ...base,
        accessory: button(ACTIONS.disconnectServer, CONNECTIONS.disconnect, one.server, { confirm }),
      };
    }
  }
}

function describeConnection(
  { state, since, account, missing, isOver, isClientRefused }: PersonalConnection,
  timeZone: string,
): string {
  switch (state) {
    case 'connected':
      return since === null
        ? CONNECTIONS.connected
        : CONNECTIONS.connectedSince(
            formatInstant(since, timeZone),
            account && isolated(clip(sentence(account), ACCOUNT_LENGTH)),
          );
    case 'sign_in_required':
      if (isClientRefused) return CONNECTIONS.clientRefused;
      return isOver ? CONNECTIONS.isOver : CONNECTIONS.signInRequired;
    case 'setup_required':
      return CONNECTIONS.setupRequired(missing.join(', '));
  }
}
