import { type ChatCompletionRequest, type FixtureResponse, LLMock } from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { contentOf } from './model-content.ts';
import { createInboxModel } from './model-inbox.ts';

/** What it's asked where it sorts a mail. */
const sortedSchema = z.object({ mail: z.looseObject({ subject: z.string() }) });
const readSchema = z.object({
  message: z.object({
    ...{ id: z.string(), from: z.string(), subject: z.string() },
    attachments: z.array(z.object({ id: z.string() })).default([]),
  }),
});
/** A mail as the agent has read it. */
type ReadMail = z.output<typeof readSchema>['message'];

interface Draft {
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly body: string;
}

/**
 * A model over HTTP that sorts each mail as one to be answered, drafts, and calls Done once that was sent. What wasn't sent it
 * asks about, and drafts anew after the answer. It drafts to whoever wrote, unless the test says otherwise.
 */
export async function startMailModel() {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  const inbox = createInboxModel();
  const model = {
    /** For OPENAI_BASE_URL. */
    url: '',
    /** How it sorts mails: each as one to be answered, unless a test says otherwise. */
    judges: inbox.judges,
    /** The subjects of the mails that it was asked to sort, in order. */
    sorted: () =>
      inbox.read().flatMap((asked) => sortedSchema.safeParse(JSON.parse(asked)).data?.mail.subject ?? []),
    /** @param attached what the attachment says that it has read, if any */
    draft: ({ from, subject }: ReadMail, _attached = ''): Draft => ({
      to: [/<([^>]*)>/.exec(from)?.[1] ?? from],
      body: `About ${subject}: yes.`,
    }),
    /** Whether it reads the first attachment before it drafts. @default false */
    readsAttached: false,
    /** Awaited before it says how a mail is sorted. */
    onSorting: async (): Promise<void> => undefined,
    /** Awaited before it calls Done. */
    beforeDone: async (): Promise<void> => undefined,
  };
  const answer = async (request: ChatCompletionRequest): Promise<FixtureResponse> => {
    const beside = inbox.answer(request);
    if (beside !== null) {
      await model.onSorting();
      return beside;
    }
    const { messages } = request;
    const said = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    const call = (name: string, args: object) => ({
      toolCalls: [{ id: `call_${messages.length}`, name, arguments: JSON.stringify(args) }],
    });
    const made = said.flatMap((one) => one.tool_calls ?? []).map((one) => one.function.name);
    if (!made.includes('send_email') || made.at(-1) === 'Question') {
      const mail = readMail(messages);
      const [attachment] = mail.attachments;
      if (model.readsAttached && attachment && !made.includes('read_attachment'))
        return call('read_attachment', { message_id: mail.id, attachment_id: attachment.id });
      const [attached] = made.at(-1) === 'read_attachment' ? said.slice(-1).map(contentOf) : [];
      return call('send_email', { message_id: mail.id, cc: [], ...model.draft(mail, attached) });
    }
    const [result = ''] = said.slice(-1).map(contentOf);
    if (!/Sent to|did happen|happened/.test(result))
      return call('Question', { question: 'It was not sent. What now?' });
    await model.beforeDone();
    return call('Done', {});
  };
  mock.on({ predicate: () => true }, answer, { latency: 0 });
  model.url = `${await mock.start()}/v1`;
  onTestFinished(() => mock.stop());
  return model;
}

function readMail(messages: ChatCompletionRequest['messages']): ReadMail {
  const results = messages.filter(({ role }) => role === 'tool').map(contentOf);
  const found = results.flatMap((result) => /\{"message":.*\}/s.exec(result)?.[0] ?? []);
  return readSchema.parse(JSON.parse(found.at(-1) ?? '')).message;
}
