import { html } from 'hono/html';
import { z } from 'zod';
import { visible } from '../../../presentation/text/visible.ts';
import { instant } from '../pages/instant.ts';
import { redirect } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import { type AdminShell, adminForm } from './shell.ts';
import { CONNECTIONS } from './texts.ts';

/** The most accounts that are listed. */
const LISTED = 200;
const disconnectSchema = z.object({ about: z.string() });

/** People's accounts at servers: who connected what, since when; and the end of one. */
export function connectionsPage(shell: AdminShell, ports: AdminPorts, web: WebPorts): void {
  shell.show('connections', async (_, admin) => {
    const accounts = await ports.accounts.list(LISTED);
    const rows = accounts.map(({ server, person, connectedAt, expiresAt, isRefused, scope }) => [
      visible(person.name),
      visible(server),
      instant(connectedAt),
      isRefused ? CONNECTIONS.isOver : CONNECTIONS.isConnected,
      expiresAt === null ? CONNECTIONS.untold : instant(expiresAt),
      scope === null ? '–' : visible(scope),
      html`<details><summary>${CONNECTIONS.end(visible(server), visible(person.name))}</summary>${adminForm(
        web,
        admin,
        {
          page: 'connections',
          part: 'disconnect',
          about: JSON.stringify([server, person.id]),
          fields: html`<p class="small">${CONNECTIONS.warning}</p><p><button class="danger">${CONNECTIONS.endIt}</button></p>`,
        },
      )}</details>`,
    ]);
    return {
      body: html`<p class="soft">${CONNECTIONS.about}</p>${card(CONNECTIONS.accounts, table({ caption: CONNECTIONS.accounts, headings: CONNECTIONS.headings, rows, empty: CONNECTIONS.none }))}`,
    };
  });

  shell.act('connections', 'disconnect', {
    schema: disconnectSchema,
    async act({ about }, admin) {
      // The token binds it, so that it's as it was written above.
      const [server, personId] = z.tuple([z.string(), z.string()]).parse(JSON.parse(about));
      await ports.accounts.disconnect(server, personId, admin.actor);
      return redirect(shell.url('connections'));
    },
  });
}
