import type { Message } from '@countersign/slack-emulator';
import { startAppWithModel } from './app.ts';
import { makePdf } from './made-documents.ts';
import { temporaryFolder } from './process.ts';

/** A PDF of so many pages, with a passage for each of these texts. */
export function reportPdf(...texts: readonly string[]): Buffer {
  return makePdf(texts.map((text) => [{ text, size: 11 }]));
}

type StartOptions = Parameters<typeof startAppWithModel>[0];

/** The app into which files are dropped, and whose documents are asked in Slack. */
export async function openForFiles({ slack, env, file, web = false }: Partial<StartOptions> = {}) {
  const { app, model, driver } = await startAppWithModel({
    ...(slack && { slack }),
    ...(env && { env }),
    web,
    file: {
      // None of the examples, which would be learned first.
      knowledge: { folders: [temporaryFolder()] },
      policy: { rules: [{ tools: 'documents.*', action: 'allow' }] },
      mcpServers: { documents: { in_process: 'documents' } },
      ...file,
    },
  });
  let asked = 0;

  return {
    app,
    driver,
    model,
    /** What the model reads of the message that `ask` writes, and what a search then finds for it. */
    async search(
      query: string,
      ask: () => unknown,
    ): Promise<{ readonly read: string; readonly found: string }> {
      asked += 1;
      ask();
      const read = await model.heard();
      await model.calls([{ name: 'documents__search_documents', arguments: { query } }]);
      const found = await model.heard();
      await model.says(`Answer ${asked}.`);
      await driver.waitForMessage((message) => driver.text(message).includes(`Answer ${asked}.`));
      return { read, found };
    },
    /** What all messages of the app say now. */
    lines: (): readonly string[] =>
      [...driver.workspace.messages.values()]
        .flat()
        .filter(({ byApp }) => byApp)
        .map((message) => driver.text(message)),
    /** The first message of the app that says all of this, now or later. */
    line: (...words: readonly string[]): Promise<Message> =>
      driver.waitForMessage(
        (message) => message.byApp && words.every((word) => driver.text(message).includes(word)),
      ),
  };
}
