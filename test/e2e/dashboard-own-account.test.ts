import { expect, it, onTestFinished } from 'vitest';
import { startTasksServer } from '../fixtures/oauth/tasks-server.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { createBrowser } from '../helpers/browser.ts';
import { BOB } from '../helpers/decide-on-web.ts';
import { linkIn } from '../helpers/dialogue-connections.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const SECRET = 'Call the divorce lawyer';

/** Ana has connected her tasks in a direct message. */
async function connected(file: Readonly<Record<string, unknown>>) {
  const tasks = await startTasksServer({ known: SECRET });
  onTestFinished(() => tasks.stop());
  const { app, model, driver } = await startAppWithModel({
    web: true,
    file: { mcpServers: { tasks: { url: tasks.url } }, ...file },
  });
  const ana = driver.as('ana');
  ana.dm('what do I have to do?');
  await model.calls([{ name: 'countersign__connect_tasks', arguments: {} }]);
  const offer = await driver.waitForMessage((message) => driver.text(message).includes('Connect tasks…'));
  await ana.click(offer, 'Connect tasks…');
  await createBrowser('ana', ana.id).signIn(linkIn(await ana.waitForModal()) ?? '');
  return { app, model, driver, tasks };
}

it('shows what somebody’s own account answered in a direct message to them alone, on every page', async () => {
  const { app, model, tasks } = await connected({
    admins: ['U0BOB00001'],
    policy: { rules: [{ tools: '*.list_*', action: 'allow' }] },
  });
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

it('shows the result of a step to whose account answered, and only that it is done to who decided it', async () => {
  const { app, model, driver } = await connected({
    routes: { dm: 'planner' },
    policy: { rules: [{ tools: 'tasks.*', action: 'ask', approvers: BOB }] },
  });
  const finish = (id: string, more = {}) => ({
    tool: 'tasks__finish_task',
    arguments: { task_id: id },
    ...more,
  });
  const steps = [finish('task_1'), finish('task_2', { needs: [1] })];
  await model.calls([{ name: 'make_plan', arguments: { title: 'Finish', steps } }]);
  await driver.waitForMessage((message) => driver.text(message).includes('2. Finish task'));
  const bob = createVisitor();
  const page = await signIn(bob, app, 'bob', `${app.publicUrl}/dashboard`);
  const decide = await bob.follow(page, 'See the whole plan');
  const inputs = [...decide.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const fields = Object.fromEntries(inputs.map(([, name, value]) => [name, value]));
  const address = decide.url.replace('#plan', '');
  await bob.visit(address, { ...fields, word: 'approve' });
  await driver.waitForMessage((message) => driver.text(message).includes(SECRET));
  const decided = await bob.visit(address);
  expect(decided.text).toContain('✅ done · this one');
  expect(decided.html).not.toContain(SECRET);
  const own = await signIn(createVisitor(), app, 'ana', address.replace('/decide/', '/dashboard/calls/'));
  expect(own.text).toContain(`✅ done: Finished: ${SECRET} · this one`);
});

it('names what somebody’s own account knows by an id to them alone, in lists and on a call’s page', async () => {
  const { app, model, driver } = await connected({
    admins: ['U0BOB00001'],
    policy: { rules: [{ tools: '*.find_*', action: 'allow' }] },
  });
  await model.calls([{ name: 'tasks__find_tasks', arguments: {} }]);
  await model.calls([{ name: 'tasks__finish_task', arguments: { task_id: 'task_7' } }]);
  await driver.waitForMessage((message) => driver.text(message).includes(`Finish task ‘${SECRET}’`));
  const pages = async (who: string) => {
    const visitor = createVisitor();
    const list = await signIn(visitor, app, who, `${app.publicUrl}/dashboard/calls`);
    const call = await visitor.follow(list, 'tasks.finish_task');
    const timeline = /href="([^"]*timeline[^"]*)"/.exec(call.html)?.[1] ?? '';
    return [list, call, await visitor.visit(timeline.replaceAll('&amp;', '&'))];
  };
  for (const { html, text } of await pages('bob')) {
    expect(text).toContain('Finish task ‘task_7’');
    expect(html).not.toContain(SECRET);
  }
  for (const { text } of await pages('ana')) expect(text).toContain(`Finish task ‘${SECRET}’`);
});

it('shows everybody how far a call over somebody’s own account is, without its server’s words', async () => {
  const { app, model, driver, tasks } = await connected({
    policy: { rules: [{ tools: 'tasks.*', action: 'ask', approvers: BOB }] },
  });
  const over = Promise.withResolvers<void>();
  onTestFinished(() => over.resolve());
  tasks.holdUntil(over.promise);
  await model.says('Done.');
  driver.as('ana').post('general', '@countersign sort my tasks');
  await model.calls([{ name: 'tasks__sort_tasks', arguments: {} }]);
  const card = await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));
  await driver.as('bob').click(card, 'Approve');
  const told = await driver.waitForMessage((message) => driver.text(message).includes('3 of 7'), 30_000);
  expect(driver.text(told)).not.toContain(SECRET);
  const bob = createVisitor();
  await signIn(bob, app, 'bob', `${app.publicUrl}/dashboard`);
  const list = await bob.visit(`${app.publicUrl}/dashboard/calls?which=decided`);
  const call = await bob.follow(list, 'tasks.sort_tasks');
  expect(call.text).toContain('3 of 7');
  expect(call.html).not.toContain(SECRET);
}, 60_000);

it('shows in a channel that a server asks something over somebody’s own account, and what to them alone', async () => {
  const { model, driver } = await connected({ policy: { rules: [{ tools: 'tasks.*', action: 'allow' }] } });
  await model.says('Done.');
  const ana = driver.as('ana');
  ana.post('general', '@countersign drop it');
  await model.calls([{ name: 'tasks__drop_task', arguments: {} }]);
  const card = await driver.waitForMessage((message) => driver.text(message).includes('[Fill in…]'));
  expect(driver.text(card)).toContain('What it asks is for Ana alone');
  expect(JSON.stringify(card)).not.toContain(SECRET);
  await ana.click(card, 'Fill in…');
  expect(JSON.stringify(await ana.waitForModal())).toContain(`Drop ${SECRET}?`);
  expect(JSON.stringify(await ana.openHome())).toContain(`Drop ${SECRET}?`);
}, 60_000);

it('tells an approver nothing that the requester’s own account answered: in direct messages, Home, lists and forms', async () => {
  const { model, driver } = await connected({
    policy: {
      rules: [
        { tools: '*.find_*', action: 'allow' },
        { tools: '*.finish_*', action: 'ask', approvers: BOB },
      ],
    },
  });
  const bob = driver.as('bob');
  const seen: string[] = [];
  const look = async () => {
    const home = await bob.openHome();
    const lists = [await bob.command('/countersign pending', 'general'), ...[bob.ephemerals()]];
    seen.push(JSON.stringify([home, lists, driver.messages(bob.dmChannel), bob.modals()]));
  };
  await model.calls([{ name: 'tasks__find_tasks', arguments: {} }]);
  await model.calls([{ name: 'tasks__finish_task', arguments: { task_id: 'task_7' } }]);
  const inHers = (words: string) =>
    driver.waitForMessage(
      (message) => message.channel === driver.as('ana').dmChannel && driver.text(message).includes(words),
    );
  const inHis = (words: string) =>
    driver.waitForMessage(
      (message) => message.channel === bob.dmChannel && driver.text(message).includes(words),
    );
  await inHers(`Finish task ‘${SECRET}’`);
  await inHis('Finish task ‘task_7’');
  await look();
  await bob.useElement('View everything', undefined, bob.home());
  await bob.waitForModal();
  await look();
  await bob.useElement('Approve');
  await inHers(`Finished: ${SECRET}`);
  await inHis('done');
  await look();
  expect(seen.filter((text) => text.includes('task_7'))).toHaveLength(3);
  expect(seen.filter((text) => text.includes(SECRET))).toEqual([]);
});
