import { expect, it } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { createVisitor } from '../helpers/web-visitor.ts';

it('a link that somebody asked for signs them in no longer once their account is closed', async () => {
  const { app, driver } = await startAppWithModel({
    web: true,
    file: { admins: ['U0ANA00001'], mcpServers: {} },
  });
  const ana = driver.as('ana');
  const [said = ''] = await ana.command('/countersign dashboard', 'general');
  const link = /https?:\/\/\S+\/sign-in\/link\?link=[\w-]+/.exec(said)?.[0] ?? '';
  const person = driver.workspace.people.get(ana.id);
  if (person) driver.workspace.people.set(ana.id, { ...person, deleted: true });
  const visitor = createVisitor();
  expect((await visitor.visit(link)).status).toBe(403);
  const used = await visitor.visit(link.replace(/\?.*/, ''), {
    link: new URL(link).searchParams.get('link') ?? '',
  });
  expect(used.status).toBe(403);
  expect((await visitor.visit(`${app.publicUrl}/dashboard/keys`)).status).toBe(401);
});
