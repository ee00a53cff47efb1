import { renderText } from '@countersign/slack-emulator/driver';
import { describe, expect, it } from 'vitest';
import type { PersonalConnection } from '../../../../src/oauth/ports.ts';
import { connectionBlocks } from '../../../../src/slack/home/connections.ts';
import { assertView } from '../../../helpers/slack-limits.ts';

const CONNECTED: PersonalConnection = {
  server: 'tasks',
  servers: ['tasks'],
  state: 'connected',
  isOver: false,
  since: Date.UTC(2026, 10, 23, 8),
  account: null,
  missing: [],
  isClientRefused: false,
};

function shown(...connections: readonly PersonalConnection[]) {
  const blocks = connectionBlocks({ connections, timeZone: 'Europe/Berlin' });
  return { blocks, text: renderText({ blocks: JSON.parse(JSON.stringify(blocks)) }) };
}

describe('one’s own connections in Home', () => {
  it('are left out where no server wants a sign-in', () => {
    expect(shown().blocks).toEqual([]);
  });

  it('say since when, that one has to sign in, or what an admin has to set', () => {
    const { text } = shown(
      CONNECTED,
      {
        server: 'drive',
        servers: ['drive'],
        state: 'sign_in_required',
        isOver: false,
        since: null,
        account: null,
        missing: [],
        isClientRefused: false,
      },
      {
        server: 'wiki',
        servers: ['wiki'],
        state: 'setup_required',
        isOver: false,
        since: null,
        account: null,
        missing: ['TOKEN_ENCRYPTION_KEY', 'PUBLIC_URL'],
        isClientRefused: false,
      },
      {
        server: 'mail',
        servers: ['mail'],
        state: 'sign_in_required',
        isOver: true,
        since: null,
        account: null,
        missing: [],
        isClientRefused: false,
      },
    );
    expect(text).toMatch(/tasks · connected since .*23.*2026[\s\S]*\[Disconnect\]/);
    expect(text).toMatch(/drive · sign-in required[\s\S]*\[Connect…\]/);
    expect(text).toContain('wiki · setup required: TOKEN_ENCRYPTION_KEY, PUBLIC_URL');
    expect(text).toMatch(/mail · must be connected again[\s\S]*\[Connect…\]/);
    expect(text.match(/\[/g)).toHaveLength(3);
  });

  it('say with whom they are connected, and what all ends with them', () => {
    const google = {
      ...CONNECTED,
      server: 'google',
      servers: ['gmail', 'google-calendar'],
      account: 'ana@example.com',
    };
    const { blocks, text } = shown(google);
    expect(text).toContain('google · connected as ana@example.com since');
    expect(JSON.stringify(blocks)).toContain(
      'What you ask for at gmail and google-calendar waits until you connect them again, and what you have scheduled for when something new comes there is paused.',
    );
  });

  it('fit Slack’s limits however many there are, and however long their names', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...CONNECTED,
      server: `${'s'.repeat(300)}${index}`,
    }));
    const { blocks, text } = shown(...many);
    expect(text).toContain('and 25 more');
    assertView({ type: 'home', callback_id: 'home', blocks });
  });
});
