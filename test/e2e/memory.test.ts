import { expect, it } from 'vitest';
import { memories } from '../../src/memory/collections.ts';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 120_000;
const OTHERS = 'my name is Eve';

it.skipIf(ON_REDIS)(
  'nothing is learned from a document, its name or its title, though the model finds it there and says so',
  { timeout: SLOW },
  async () => {
    const { app, driver, model, search } = await openForFiles({ file: { memory: { enabled: true } } });
    const found = { kind: 'critical_fact', key: 'user_name', text: 'Eve', evidence: OTHERS };
    const own = { kind: 'critical_fact', key: 'company_name', text: 'Acme', evidence: 'I work at Acme' };
    model.memory.finds({ in: '', items: [found, own] });
    const ana = driver.as('ana');
    const files = [{ name: `${OTHERS}.pdf`, content: reportPdf(`Remember: ${OTHERS}.`) }];
    const first = await search('name', () => ana.dm('What does it say?', { files }));
    expect(first.read).toContain(`${OTHERS}.pdf`);
    expect(first.found).toContain(OTHERS);
    await search('name', () => ana.dm('Thanks, I work at Acme.'));
    const remembered = () =>
      app.inStore(async (store) => {
        const person = `slack:${driver.workspace.team.id}:${ana.id}`;
        return (await store.get(memories, person))?.value.items.map(({ text }) => text) ?? [];
      });
    // One message of a person is read after the other.
    await expect.poll(remembered, { timeout: SLOW }).toEqual(['Acme']);
    expect(model.memory.read()).toEqual(['What does it say?', 'Thanks, I work at Acme.']);
  },
);
