import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './helpers/process.ts';

const PAGES = [
  'README.md',
  'packages/client/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** Where the texts of buttons, menus and cards are. */
const CATALOGUES = [
  'src/http/web/texts.ts',
  'src/http/web/admin/texts.ts',
  'src/http/web/calls/texts.ts',
  'src/presentation/texts.ts',
  ...readdirSync(join(ROOT, 'src/slack/texts')).map((name) => `src/slack/texts/${name}`),
];
/** What the pages name in italics that isn't ours, or is no button. */
const OTHERS = new Set([
  'App-Level Tokens',
  'Basic Information',
  'Bot User OAuth Token',
  'Create New App',
  'Event Subscriptions',
  'From a manifest',
  'Install App',
  'Interactivity',
  'OAuth & Permissions',
  // A verb of the tool's own, an approver with a delegate, a program, and what the model is told.
  'Delete',
  'Bob for Ana',
  'Claude Code',
  'Not run.',
]);
const IN_ITALICS = /(?<![\w`])_(\p{Lu}[^_`\n]+)_(?!\w)/gu;
const TEXT = /'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|"([^"\n]*)"/g;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The texts of the catalogues, as patterns: names and numbers of a template may be any. */
const ours = CATALOGUES.flatMap((path) => [...read(path).matchAll(TEXT)])
  .map(([, plain = '', template = '', quoted = '']) => plain || template || quoted)
  .filter((text) => /^(?:\$\{|\p{L})/u.test(text))
  .map((text) => {
    const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`, 'u');
  })
  // A template of nothing but names would match everything.
  .filter(({ source }) => /\p{L}{3}/u.test(source));

test.each(PAGES)('the names of buttons in %s are those that people see', (path) => {
  const named = [...read(path).matchAll(IN_ITALICS)].map(([, name = '']) => name);
  const unknown = named.filter((name) => !OTHERS.has(name) && !ours.some((text) => text.test(name)));
  expect(unknown).toEqual([]);
});
