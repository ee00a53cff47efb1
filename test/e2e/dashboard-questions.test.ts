import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const QUESTION = 'To which day?';

/** The app, in which the agent has asked Ana something; and her dashboard. */
async function asked() {
  const { app, model, driver } = await startAppWithModel({ web: true, file: { mcpServers: {} } });
  driver.as('ana').post('general', '@countersign move the standup');
  const context = 'The calendar is full on Monday.';
  await model.calls([{ name: 'ask_user', arguments: { question: QUESTION, context } }]);
  const said = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  await said(QUESTION);
  const visitor = createVisitor();
  const page = await signIn(visitor, app, 'ana', `${app.publicUrl}/dashboard`);
  return { app, model, said, visitor, page };
}

describe('a question of the agent on the web', () => {
  it('reads as on its card, is answered on the dashboard, and the agent goes on', async () => {
    const { model, said, visitor, page } = await asked();
    for (const line of ['The agent asks Ana:', QUESTION, 'The agent adds: The calendar is full on Monday.'])
      expect(page.text).toContain(line);
    expect(page.text.split('\n').filter((line) => /^(approve|reject)|can approve/i.test(line))).toEqual([]);
    const after = await visitor.press(page, 'Answer', { feedback: 'Friday' });
    expect(after.url).toBe(page.url);
    expect(after.text).toContain('Nothing waits for you');
    await model.says('Moved.');
    await said('Answered by Ana');
  });

  it('has a page of its own that shows and answers it, and asks for words', async () => {
    const { app, model, visitor, page } = await asked();
    const [, key = ''] = /\/decide\/([\w-]{22})/.exec(page.html) ?? [];
    const own = await visitor.visit(`${app.publicUrl}/decide/${key}`);
    expect(own.text).toContain('The agent asks Ana:');
    expect(own.text).not.toMatch(/approve|reject/i);
    const empty = await visitor.press(own, 'Answer', { feedback: ' ' });
    expect(empty.status).toBe(422);
    const answered = await visitor.press(empty, 'Answer', { feedback: 'Friday' });
    expect(answered.text).toContain('You answered this');
    await model.says('Moved.');
    const onRecord = await visitor.visit(`${app.publicUrl}/dashboard/calls/${key}`);
    expect(onRecord.text).toMatch(/Answered by Ana/);
    expect(onRecord.text).toContain(QUESTION);
    expect(onRecord.text).not.toContain('Approve');
  });

  it('is not answered by somebody else', async () => {
    const { app, page } = await asked();
    const [, key = ''] = /\/decide\/([\w-]{22})/.exec(page.html) ?? [];
    const { status, text } = await signIn(createVisitor(), app, 'bob', `${app.publicUrl}/decide/${key}`);
    expect(status).toBe(403);
    expect(text).not.toContain(QUESTION);
  });
});

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)('in a browser, a question of the agent', () => {
  it('has no barriers, light and dark, on a phone', async () => {
    const { app, page: visited } = await asked();
    const [, key = ''] = /\/decide\/([\w-]{22})/.exec(visited.html) ?? [];
    const context = await browser?.newContext({ viewport: { width: 390, height: 800 } });
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${app.publicUrl}/dashboard`);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: /Ana/ }).click();
    for (const path of ['/dashboard', `/decide/${key}`, `/dashboard/calls/${key}`]) {
      await page.goto(`${app.publicUrl}${path}`);
      await page.getByText(QUESTION).first().waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), `${path}, ${colorScheme}`).toEqual([]);
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0);
    }
  });
});
