import { describe, expect, it } from 'vitest';
import { strayTexts } from './helpers/people-texts.ts';
import { type SourceFile, sourceFiles } from './helpers/sources.ts';

/**
 * Where texts for people are all in a `texts.ts`, or in a folder `texts`: the modules, what people see of the local workspace,
 * and the client.
 */
const PLACES = [
  'agents',
  'app',
  'config',
  'gate',
  'http',
  'lib',
  'mcp',
  'memory',
  'notebook',
  'oauth',
  'presentation',
  'programs',
  'runs',
  'schedules',
  'slack',
  'storage',
  'tools',
]
  .map((name) => `src/${name}`)
  .concat(
    ['interactions', 'page', 'server'].map((name) => `packages/slack-emulator/src/${name}`),
    'packages/client/src',
  );

/**
 * Folders, files, or single strings of files (`path: string`) that hold no texts for people, or whose texts stay with
 * their grammar, each with the reason.
 */
const NOT_TEXTS: Readonly<Record<string, string>> = {
  'packages/client/src/http.ts: Bearer {}': 'an HTTP header',
  'src/mcp/hub/sign-in-place.ts: Bearer {}': 'an HTTP header',
  'packages/client/src/receipt.ts: not JSON': 'a programming error',
  'packages/client/src/receipt.ts: not Unicode': 'a programming error',
  'packages/client/src/receipt.ts: not a JSON number': 'a programming error',
  'packages/slack-emulator/src/page/blocks/button.tsx: button {}': 'names of classes',
  'packages/slack-emulator/src/page/shell/dialog.tsx: .dialog-body': 'a selector',
  'packages/slack-emulator/src/server/last-person.ts: workspace-person': 'a cookie',
  'packages/slack-emulator/src/server/openid-page.ts: \n:root': 'a style sheet',
  'packages/slack-emulator/src/server/openid-page.ts: form-action': 'an HTTP header',
  'packages/slack-emulator/src/server/openid-page.ts: text/html': 'an HTTP header',
  'packages/slack-emulator/src/server/page-assets.ts: text/': 'an HTTP header',
  'packages/slack-emulator/src/server/page-routes.ts: application/json': 'an HTTP header',
  'packages/slack-emulator/src/server/page-routes.ts: data: {}': 'the format of events',
  'packages/slack-emulator/src/server/page-routes.ts: {}; filename': 'an HTTP header',
  'packages/slack-emulator/src/server/server.ts: Bearer {}': 'an HTTP header',
  'packages/slack-emulator/src/server/server.ts: text/plain': 'an HTTP header',
  'src/agents/assistant/': 'read by the model',
  'src/agents/context/': 'read by the model',
  'src/agents/demo/events.ts: ccc d': 'a date format',
  'src/agents/demo/inbox/rules.ts': 'words that it understands',
  'src/agents/demo/inbox/wishes.ts: (?:': 'words that it understands, in patterns',
  'src/agents/demo/intent.ts: at {}': 'what it reads, put together',
  'src/agents/demo/intent.ts: ccc d': 'a date format',
  'src/agents/demo/team/outputs.ts': 'where a task ends in its message',
  'src/agents/demo/team/plan-tasks.ts': 'a pattern',
  'src/agents/demo/when.ts': 'a pattern',
  'src/agents/demo/wording.ts': 'words that it understands',
  'src/agents/inbox/': 'read by the model',
  'src/agents/nodes/': 'read by the model',
  'src/agents/planner/': 'read by the model',
  'src/agents/models/wire/fetch.ts': 'the format of events, and errors for the log',
  'src/agents/models/wire/post.ts: fetch failed': 'the message that `fetch` has',
  'src/agents/runtime/graph-agent.ts': 'read by the model',
  'src/agents/models/chat-span.ts: chat {}': 'the name of a span',
  'src/agents/shared/': 'read by the model',
  'src/agents/team/': 'read by the model',
  'src/agents/tool-search/': 'read by the model',
  'src/app/commands/init/take-over.ts: Application Support': 'the name of a folder',
  'src/app/commands/gate-connection.ts: Bearer ': 'a header',
  'src/app/compose-http.ts': 'for the readiness check',
  'src/app/compose-programs.ts': 'the names of timers',
  'src/app/demo-servers/': 'a server of its own, whose texts the model reads',
  'src/app/doctor/remote-checks.ts: Answer with': 'read by the model',
  'src/app/record-retention.ts': 'the name of a retention rule',
  'src/app/retention.ts': 'the names of retention rules',
  'src/config/api-key.ts: must ': 'the rule of one setting, in its schema',
  'src/config/env.ts: must ': 'the rule of one setting, in its schema',
  'src/config/file.ts: must ': 'the rule of one setting, in its schema',
  'src/config/knowledge.ts: must ': 'the rules of settings, in their schemas',
  'src/config/knowledge.ts: reading documents': 'the name of a rule',
  'src/config/programs.ts: must ': 'the rule of one setting, in its schema',
  'src/config/team.ts: must ': 'the rule of one setting, in its schema',
  'src/config/telemetry.ts: must ': 'the rules of settings, in their schema',
  'src/config/token-keys.ts: must ': 'the rule of one setting, in its schema',
  'src/config/yaml-errors.ts: Missing closing': 'a message of the parser',
  'src/gate/approval/approver-names.ts': 'a list of names, put together',
  'src/gate/audit/chain.ts': 'the rule of a field, in its schema',
  'src/gate/audit/sealer.ts': 'the name of a timer',
  'src/http/api/open-streams.ts: failed to': 'an error for the log',
  'src/http/records/file-answer.ts': 'headers',
  'src/http/server.ts: revoked streams': 'the name of a timer',
  'src/http/web/admin/parts.ts: scroll stacks': 'names of classes',
  'src/programs/function-trace.ts': 'the names of spans',
  'src/runs/run/run-trace.ts': 'the names of spans',
  'src/runs/team/task-text.ts': 'read by the model',
  'src/slack/display.ts: post answer': 'the name of a span',
  'src/slack/client/api-access.ts': 'the name of a timer',
  'src/memory/extract.ts': 'read by the model',
  'src/lib/mail/addresses.ts: 126.com': 'names of domains',
  'src/lib/mail/look-alike.ts': 'pairs of letters',
  'src/lib/mail/tool-schemas.ts': 'what tools of mail servers say of themselves, as in src/connectors',
  'src/lib/text/html.ts: address article': 'names of elements',
  'src/mcp/connection/service-fetch.ts: Bearer {}': 'an HTTP header',
  'src/mcp/connection/mailbox-service.ts: not an address of a mail server': 'a programming error',
  'src/mcp/connection/transports.ts: there is no connector': 'a programming error',
  'src/mcp/hub/sign-in-place.ts: a mailbox is not asked by HTTP': 'a programming error',
  'src/mcp/isolation/memory-limit.ts': 'the name of a timer',
  'src/mcp/isolation/probe.ts': 'a script for the shell, and the name of a process',
  'src/gate/call/decision.ts': 'a name, put together',
  'src/gate/call/outcome.ts': 'the rule of a field, in its schema',
  'src/gate/call/record.ts': 'the rule of a field, in its schema',
  'src/gate/decisions/decide.ts: if they may': 'a placeholder that nobody reads',
  'src/gate/execution/tool-changed.ts: … and {} more': 'the end of a list',
  'src/gate/gate.ts': 'words of the audit',
  'src/gate/request-operations.ts': 'words of the audit',
  'src/gate/grants/record.ts': 'keys, and the rule of a field, in its schema',
  'src/gate/policy/approver-rules.ts': 'rules of settings, in their schemas',
  'src/gate/policy/argument-path.ts': 'rules of settings, in their schemas',
  'src/gate/policy/business-hours.ts': 'rules of settings, in their schemas',
  'src/gate/policy/conditions.ts': 'rules of settings, in their schemas',
  'src/gate/policy/deadline-rules.ts': 'rules of settings, in their schemas',
  'src/gate/policy/deadline-text.ts': 'sentences put together from parts, and nothing else',
  'src/gate/policy/schema.ts: rule {}': 'what a rule without a name is called',
  'src/gate/policy/matching/match-text.ts': 'rules of settings',
  'src/gate/policy/explain.ts': 'sentences put together from parts, and nothing else',
  'src/gate/policy/limits.ts': 'rules of settings, in their schemas',
  'src/gate/policy/operators.ts': 'rules of settings, in their schemas',
  'src/gate/policy/schema.ts': 'rules of settings, in their schemas',
  'src/gate/policy/test-cases.ts': 'rules of settings, in their schemas',
  'src/gate/refusal-log.ts': 'for the log',
  'src/http/agent/schemas.ts': 'rules of fields, in their schemas',
  'src/http/api/health.ts': 'for the readiness check',
  'src/http/api/openapi': 'descriptions of the API',
  'src/http/documents/openapi.ts': 'descriptions of the API',
  'src/http/documents/schemas.ts': 'rules of fields, in their schemas',
  'src/http/authorization/consent.ts: a page is asked for': 'a programming error',
  'src/http/authorization/records.ts: a payload is an object': 'a programming error',
  'src/http/authorization/routes.ts': 'headers',
  'src/http/base.ts: taking requests': 'for the readiness check',
  'src/http/listen.ts': 'a programming error',
  'src/http/mcp/routes.ts: a request has a caller': 'a programming error',
  'src/http/threads/schemas/': 'rules of fields, in their schemas',
  'src/http/threads/surface.ts': 'the name of a retention rule',
  'src/http/web/decide.ts: web form': 'a word of the audit',
  'src/http/web/pages/dashboard-script.ts': 'a script',
  'src/http/web/pages/decide-script.ts': 'a script',
  'src/http/web/pages/live-script.ts': 'scripts',
  'src/http/web/pages/instant.ts': 'a script',
  'src/http/web/pages/layout.ts': 'headers, and the name of the program',
  'src/http/web/pages/style.ts': 'a style sheet',
  'src/lib/canonical-json.ts': 'a programming error',
  'src/lib/config-errors/': 'rules of settings, put together from parts',
  'src/lib/duration.ts': 'the rule of a setting, in its schema',
  'src/lib/errors.ts': 'the errors that every module may throw, each with its one text',
  'src/lib/json.ts': 'stands in for a value in the log',
  'src/lib/net/body-limit.ts: ReadBuffer': 'a message of the SDK',
  'src/lib/net/guarded-fetch.ts: only text': 'a programming error',
  'src/lib/net/network-errors.ts: bad port': 'a message of the HTTP client',
  'src/lib/regex.ts': 'the rule of a setting, in its schema',
  'src/presentation/text/money.ts': 'names of arguments',
  'src/mcp/calls/cancellation.ts': 'reasons of an abort, which nobody reads',
  'src/mcp/calls/sign-in-required.ts': 'for the log',
  'src/mcp/connection/connect.ts': 'a programming error',
  'src/mcp/connection/list-changes.ts': 'for the log',
  'src/mcp/connection/outage-log.ts': 'for the log',
  'src/mcp/connection/server-log.ts': 'for the log',
  'src/mcp/connection/stream-resumption.ts': 'for the log',
  'src/mcp/tools/definition.ts': 'keywords of JSON Schema',
  'src/mcp/tools/review-state.ts': 'the rule of a field, in its schema',
  'src/oauth/authorization-errors.ts': 'for the log',
  'src/oauth/revoke.ts: Basic {}': 'an HTTP header',
  'src/oauth/resume-calls.ts: sign-in sweep': 'the name of a timer',
  'src/presentation/text/time.ts': 'date formats',
  'src/runs/dispatcher.ts': 'names of timers',
  'src/slack/client/receiver.ts: not signed by Slack': 'the answer to who is not Slack',
  'src/slack/client/receiver.ts: not a Slack request': 'the answer to who is not Slack',
  'src/slack/home/publisher.ts: Home sweep': 'the name of a timer',
  'src/slack/outbox/outbox.ts: outbox sweep': 'the name of a timer',
  'src/slack/client/api-access.ts: access check': 'the name of a timer',
  'src/slack/client/download.ts: Bearer {}': 'an HTTP header',
  'src/slack/client/slack-client.ts: Bearer {}': 'an HTTP header',
  'src/storage/checkpoints/address.ts': 'a programming error',
  'src/storage/checkpoints/redis/saver.ts': 'a programming error',
  'src/storage/checkpoints/redis/layout.ts': 'Lua',
  'src/storage/checkpoints/redis/scripts.ts': 'Lua',
  'src/storage/checkpoints/row-saver.ts': 'programming errors',
  'src/storage/checkpoints/sqlite/': 'SQL',
  'src/storage/documents/index-file.ts': 'SQL',
  'src/storage/documents/kept-contents.ts': 'SQL',
  'src/storage/documents/lance-': 'SQL',
  'src/storage/documents/rank-words.ts': 'SQL',
  'src/storage/documents/vectors.ts': 'SQL',
  'src/storage/driver-support.ts': 'programming errors',
  'src/storage/redis/client.ts: The Redis client': 'a programming error',
  'src/tools/foreign-agents/source.ts': 'the name of a source, for the log',
  'src/storage/redis/scripts.ts': 'Lua',
  'src/storage/sqlite/data-dir.ts: BEGIN': 'SQL',
  'src/storage/sqlite/database.ts': 'SQL',
  'src/storage/sqlite/file.ts': 'SQL',
  'src/storage/sqlite/commit.ts': 'SQL',
  'src/storage/sqlite/store.ts': 'SQL',
  'src/storage/sqlite/tables.ts': 'SQL',
  'src/storage/store.ts': 'programming errors',
};

function file(path: string, code: string): SourceFile {
  return { path, text: code, code, imports: [] };
}

const found = (code: string, path = 'src/slack/a.ts') =>
  strayTexts([file(path, code)]).map(({ text }) => text);

describe('the texts that people see', () => {
  const stray = sourceFiles(...PLACES).flatMap((source) =>
    strayTexts([source]).map(({ path, text }) => ({ path, id: `${path}: ${text}` })),
  );

  it.each(PLACES)('of %s are all in its texts files', (place) => {
    const own = stray.filter(({ path }) => path.startsWith(`${place}/`));
    const exceptions = Object.keys(NOT_TEXTS);
    expect(own.filter(({ id }) => !exceptions.some((it) => id.startsWith(it)))).toEqual([]);
  });

  it('have no exception that is not needed', () => {
    const unneeded = Object.keys(NOT_TEXTS).filter((it) => !stray.some(({ id }) => id.startsWith(it)));
    expect(unneeded).toEqual([]);
  });
});

describe('the check itself', () => {
  it.each([
    [`const a = 'Nothing ran.';`, 'Nothing ran.'],
    [`const a = "It isn't open.";`, "It isn't open."],
    [`const a = \`\${name} waits for you.\`;`, '{} waits for you.'],
    [`const a = \`\${name} has \${count === 1 ? \`one call\` : "more calls"}.\`;`, 'one call'],
    [`const a = \`Rejected \${when}\`;`, 'Rejected {}'],
    [`throw new RefusalError('changed', 'This has changed.');`, 'This has changed.'],
    [`log.info({ at: say('It is done.') }); tell('This is read.')`, 'This is read.'],
    [`const quote = /['"\`]/; const b = 'after a pattern';`, 'after a pattern'],
    [`const a = { b: \`\${c.map(({ d }) => d)}\`, e: 'after a template' };`, 'after a template'],
    [
      `const a = html\`<p class="b c">\${d} <em>is open</em></p>\`;`,
      '<p class="b c">{} <em>is open</em></p>',
    ],
    [`const a = b / 2; const c = 'after a division';`, 'after a division'],
  ])('finds the text in %s', (code, text) => {
    expect(found(code)).toContain(text);
  });

  it.each([
    `log.warn({ err: error }, 'ephemeral message failed');`,
    `ports.log.error({ server }, \`failed to read \${name} from it\`);`,
    `throw new Error('a programming error');`,
    `z.string().describe('The name of the result.')`,
    `const a = 'call.approve'; const b = \`\${c} \${d}\`; const e = 'waiting';`,
    `const DATE = /two words/;`,
    `const a = html\`<p class="two words">\${b}</p>\`;`,
    `const EXACT = /[^"\`]/; /** It isn't "in a string" and it's not \`one\` either. */`,
    `// It isn't one: “two words”.`,
  ])('passes over %s', (code) => {
    expect(found(code)).toEqual([]);
  });

  it.each([
    ['<p>Only you see this.</p>', 'Only you see this.'],
    ['<button type="button" className="button">Stop</button>', 'Stop'],
    ['<p>{name} is here</p>', 'is here'],
    ['<p aria-label="Thread" />', 'Thread'],
    ["const a = <p>{b}</p>; const c = 'Nothing ran.';", 'Nothing ran.'],
  ])('finds the text of a page in %s', (code, text) => {
    expect(found(code, 'packages/a/page.tsx')).toEqual([text]);
  });

  it.each([
    '<button className="button button-quiet" type="button">{STOP}</button>',
    'const a = createContext<(work: Promise<unknown>) => void>(() => {});',
    'function useA(): [string, (text: string) => void] { return a < b ? c : d; }',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code that is read
    '<p className={`a b${c}`}>{d}</p>',
  ])('finds no text of a page in %s', (code) => {
    expect(found(code, 'packages/a/page.tsx')).toEqual([]);
  });

  it('passes over texts files', () => {
    const code = `export const A = 'Nothing ran.';`;
    expect(found(code, 'src/slack/texts.ts')).toEqual([]);
    expect(found(code, 'src/slack/texts/cards.ts')).toEqual([]);
    expect(found(code, 'src/slack/context.ts')).toEqual(['Nothing ran.']);
  });
});
