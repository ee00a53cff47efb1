import type { Connector, Connectors, MailboxConnector } from '../mcp/ports.ts';
import { connector as github } from './github/index.ts';
import { connector as gmail } from './gmail/index.ts';
import { connector as googleCalendar } from './google-calendar/index.ts';
import { connector as imap } from './imap/index.ts';
import { connector as slack } from './slack/index.ts';
import { connector as webSearch } from './web-search/index.ts';

/** All connectors, by the names that they have in the configuration. Each is a folder beside this file. */
export const CONNECTORS: Connectors = new Map<string, Connector | MailboxConnector>([
  ['github', github],
  ['gmail', gmail],
  ['google-calendar', googleCalendar],
  ['imap', imap],
  ['slack', slack],
  ['web-search', webSearch],
]);
