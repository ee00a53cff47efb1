import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { messageTokens, totalTokens } from '../../../../src/agents/context/estimate-tokens.ts';
import { estimateTokens } from '../../../../src/lib/text/estimate-tokens.ts';
import { realTokens } from '../../../helpers/counting-model.ts';
import { ROOT } from '../../../helpers/sources.ts';

const file = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['prose', file('README.md')],
  ['code', file('src/agents/nodes/task-executor.ts')],
  ['JSON', JSON.stringify(JSON.parse(file('countersign.schema.json')))],
  ['tools of servers', file('test/fixtures/tools-of-sixteen-servers.json')],
  ['base64', randomBytes(6_000).toString('base64')],
  ['hex', randomBytes(4_000).toString('hex')],
  ['ids', Array.from({ length: 200 }, () => crypto.randomUUID()).join('\n')],
  ['times', Array.from({ length: 200 }, (_, day) => `2026-11-${(day % 28) + 1}T09:00:00+01:00`).join(',')],
  [
    'a table',
    Array.from({ length: 300 }, (_, row) => `${row},Ana Müller,${row * 17.31},ana${row}@example.com`).join(
      '\n',
    ),
  ],
  ['one word again and again', 'please '.repeat(700)],
  ['one letter', 'x'.repeat(2_000)],
  ['German', 'Das übermäßig lange Gespräch wird zusammengefasst, damit es in das Fenster passt. '.repeat(30)],
  ['Russian', 'Разговор слишком длинный и будет сокращён, чтобы поместиться в окно модели. '.repeat(30)],
  ['Arabic', 'المحادثة طويلة جدًا وسيتم تقصيرها لتناسب نافذة النموذج. '.repeat(30)],
  ['Hindi', 'बातचीत बहुत लंबी है और मॉडल की विंडो में फिट होने के लिए छोटी की जाएगी। '.repeat(30)],
  ['Chinese', '对话太长，将被缩短以适应模型的窗口。每个人说了什么都会保留下来。'.repeat(30)],
  ['Japanese', '会話が長すぎるため、モデルのウィンドウに収まるように要約されます。'.repeat(30)],
  ['Thai', 'บทสนทนายาวเกินไปและจะถูกย่อเพื่อให้พอดีกับหน้าต่างของโมเดล '.repeat(30)],
  ['emoji', '😀🎉🚀👩‍💻🇩🇪✅'.repeat(60)],
];

describe('an estimate of tokens', () => {
  it.each(TEXTS)('is not much less than what OpenAI’s tokenizer counts, of %s', (_what, text) => {
    expect(estimateTokens(text) / realTokens(text)).toBeGreaterThan(0.85);
  });

  it.each(TEXTS.slice(0, 10))('is at most twice as much, of %s', (_what, text) => {
    expect(estimateTokens(text) / realTokens(text)).toBeLessThan(2);
  });

  it('counts the names, ids and arguments of calls, and what each message takes', () => {
    const args = { title: 'Standup', notes: 'word '.repeat(100) };
    const asked = new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'create_event', args }] });
    const messages = [
      new HumanMessage('hello'),
      asked,
      new ToolMessage({ tool_call_id: 'call_1', content: 'Done.' }),
    ];
    expect(messageTokens(asked)).toBeGreaterThan(100);
    expect(totalTokens(messages)).toBe(messages.reduce((sum, message) => sum + messageTokens(message), 0));
  });

  it('of a long word takes no longer than of others', () => {
    expect(estimateTokens('x'.repeat(1_000_000))).toBeGreaterThan(125_000);
  });
});
