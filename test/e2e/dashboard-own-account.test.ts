import { expect, it, onTestFinished } from 'vitest';
import { startTasksServer } from '../fixtures/oauth/tasks-server.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { createBrowser } from '../helpers/browser.ts';
import { linkIn } from '../helpers/dialogue-connections.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const SECRET = 'Call the divorce lawyer';

it('shows what somebody’s own account answered in a direct message to them alone, on every page', async () => {
  const tasks = await startTasksServer();
  onTestFinished(() => tasks.stop());
  const { app, model, driver } = await startAppWithModel({
    web: true,
    file: {
      admins: ['U0BOB00001'],
      mcpServers: { tasks: { url: tasks.url } },
      policy: { rules: [{ tools: '*.list_*', action: 'allow' }] },
    },
  });
  const ana = driver.as('ana');
  ana.dm('what do I have to do?');
  await model.calls([{ name: 'countersign__connect_tasks', arguments: {} }]);
  const offer = await driver.waitForMessage((message) => driver.text(message).includes('Connect tasks…'));
  await ana.click(offer, 'Connect tasks…');
  await createBrowser('ana', ana.id).signIn(linkIn(await ana.waitForModal()) ?? '');
  tasks.tasks.set('ana', [SECRET]);
  await model.calls([{ name: 'tasks__list_tasks', arguments: {} }]);
  expect(JSON.stringify(await model.heard())).toContain(SECRET);
  await model.says('One.');
  const pages = async (who: string) => {
    const visitor = createVisitor();
    const list = await signIn(visitor, app, who, `${app.publicUrl}/dashboard/calls?tool=list_tasks`);
    const call = await visitor.follow(list, 'tasks.list_tasks');
    const timeline = [...call.html.matchAll(/href="([^"]*timeline[^"]*)"/g)][0]?.[1] ?? '';
    const all = [list, call, await visitor.visit(timeline.replaceAll('&amp;', '&'))];
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    return all.map(({ html }) => html).join('\n');
  };
  expect(await pages('bob')).not.toContain(SECRET);
  expect(await pages('ana')).toContain(SECRET);
});
