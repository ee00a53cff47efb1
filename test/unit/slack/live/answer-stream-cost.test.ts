import { expect, it, vi } from 'vitest';
import { createPresenter } from '../../../../src/slack/live/presenter.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { quiet } from '../../../helpers/workspace.ts';
import { item, thread } from './fixtures.ts';

it('an answer is looked at in parts, also with a mention in it that never ends', () => {
  const presenter = createPresenter({
    client: createFakeApi().client,
    log: quiet,
    teamOf: async () => null,
    room: () => 1,
    isClear: async () => true,
  });
  const search = vi.spyOn(String.prototype, 'search');
  const text = `<!${'word '.repeat(2_000)}`;
  for (let at = 0; at < text.length; at += 5)
    presenter.observe(thread, item, { type: 'token', text: text.slice(at, at + 5) });
  const read = search.mock.contexts.reduce<number>((sum, searched) => sum + String(searched).length, 0);
  search.mockRestore();
  presenter.stop();
  expect(read).toBeLessThan(20 * text.length);
});
