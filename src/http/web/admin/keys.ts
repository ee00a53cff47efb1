import { html } from 'hono/html';
import { z } from 'zod';
import { type Scope, scopeSchema } from '../../caller.ts';
import { instant } from '../pages/instant.ts';
import type { Html } from '../pages/layout.ts';
import { redirect } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import { type Admin, type AdminShell, adminForm } from './shell.ts';
import { KEYS } from './texts.ts';

const makeSchema = z.object({
  about: z.string(),
  name: z.string().trim().max(200).default(''),
  /** One box or several. */
  scope: z.union([scopeSchema.transform((one) => [one]), z.array(scopeSchema)]).default(() => [] as Scope[]),
});
const revokeSchema = z.object({ about: z.string(), name: z.string().max(200).default('') });

/** The keys of the API: listed, made, and revoked. */
export function keysPage(shell: AdminShell, ports: AdminPorts, web: WebPorts): void {
  const body = async (admin: Admin, said: Html | null): Promise<Html> => {
    const keys = await ports.keys.list();
    const rows = keys
      .toReversed()
      .map(({ name, scopes, createdAt, revokedAt }) => [
        html`<code>${name}</code>`,
        scopes.join(', '),
        instant(createdAt),
        revokedAt === null ? revokeForm(admin, name) : html`${KEYS.revoked} ${instant(revokedAt)}`,
      ]);
    return html`${said}${card(KEYS.make, makeForm(admin))}
${card(KEYS.all, table({ caption: KEYS.all, headings: KEYS.headings, rows, empty: KEYS.none }))}`;
  };

  shell.show('keys', async (_, admin) => ({ body: await body(admin, null) }));

  shell.act('keys', 'make', {
    schema: makeSchema,
    async act({ name, scope }, admin) {
      const problem = scope.length === 0 ? KEYS.noScope : null;
      if (problem !== null) return { status: 422, body: await body(admin, warning(problem)) };
      const secret = await ports.keys.create(name, scope, admin.actor);
      // Shown this once: no redirect, or it would have to be kept.
      const shown = html`<section class="card" role="status"><h2>${KEYS.made(name)}</h2><p>${KEYS.onlyNow}</p><pre>${secret}</pre></section>`;
      return { body: await body(admin, shown) };
    },
  });

  shell.act('keys', 'revoke', {
    schema: revokeSchema,
    async act({ about, name }, admin) {
      if (name !== about) return { status: 422, body: await body(admin, warning(KEYS.otherName(about))) };
      await ports.keys.revoke(about, admin.actor);
      return redirect(shell.url('keys'));
    },
  });

  function makeForm(admin: Admin): Html {
    const scopes = scopeSchema.options.map(
      (scope) =>
        html`<label class="check"><input type="checkbox" name="scope" value="${scope}"> <code>${scope}</code> ${KEYS.scopes[scope]}</label>`,
    );
    return adminForm(web, admin, {
      page: 'keys',
      part: 'make',
      about: '',
      fields: html`<label for="key-name">${KEYS.name}</label><input type="text" id="key-name" name="name" required maxlength="64">
<fieldset><legend>${KEYS.scope}</legend>${scopes}</fieldset><p><button class="go">${KEYS.makeIt}</button></p>`,
    });
  }

  function revokeForm(admin: Admin, name: string): Html {
    const id = `revoke-${name}`;
    return html`<details><summary>${KEYS.revoke(name)}</summary>${adminForm(web, admin, {
      page: 'keys',
      part: 'revoke',
      about: name,
      fields: html`<label for="${id}">${KEYS.typeName(name)}</label><input type="text" id="${id}" name="name" required><p><button class="danger">${KEYS.revokeIt}</button></p>`,
    })}</details>`;
  }
}

function warning(words: string): Html {
  return html`<p class="warning" role="alert">${words}</p>`;
}
