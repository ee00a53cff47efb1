import { expect, test } from 'vitest';
import { createProgram, startForPersonalPrograms } from '../helpers/personal-programs.ts';

test('a program that its person lets in reads at once, and writes once they approve in Slack', async () => {
  const setup = await startForPersonalPrograms();
  const program = await createProgram(setup);
  const page = await program.open(await program.ask());
  expect(page.text.replaceAll('\n', ' ')).toContain('Builder at localhost wants to call tools as you, Ana.');
  const told = await program.answer(page, 'Allow');
  expect(told.get('iss')).toBe(setup.app.publicUrl);
  await program.finish(told);
  const client = await program.connect();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('files__write_file');
  expect((await client.callTool(setup.list())).isError).toBeFalsy();

  const writing = client.callTool(setup.write('a.txt'));
  const card = await setup.card('a.txt');
  expect(setup.driver.text(card)).toContain('Requested by Builder (localhost) for');
  await setup.driver.as('ana').click(card, 'Approve');
  expect(await writing).toMatchObject({
    content: [{ text: expect.stringContaining('Successfully wrote') }],
  });
  expect(await setup.file('a.txt')).toBe('hello');
});
