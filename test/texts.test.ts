import { describe, expect, it } from 'vitest';
import { strayTexts } from './helpers/people-texts.ts';
import { type SourceFile, sourceFiles } from './helpers/sources.ts';

/** The modules whose texts for people are all in their `texts.ts`, or in a folder `texts`. */
const MODULES = ['presentation'];

/** Files, or single strings of them (`path: string`), that hold no texts for people, each with the reason. */
const NOT_TEXTS: Readonly<Record<string, string>> = {
  'src/presentation/text/time.ts': 'date formats',
};

function file(path: string, code: string): SourceFile {
  return { path, text: code, code, imports: [] };
}

const found = (code: string, path = 'src/slack/a.ts') =>
  strayTexts([file(path, code)]).map(({ text }) => text);

describe('the texts that people see', () => {
  const stray = sourceFiles(...MODULES.map((name) => `src/${name}`)).flatMap((source) =>
    strayTexts([source]).map(({ path, text }) => ({ path, id: `${path}: ${text}` })),
  );

  it.each(MODULES)('of %s are all in its texts files', (name) => {
    const own = stray.filter(({ path }) => path.startsWith(`src/${name}/`));
    expect(own.filter(({ path, id }) => !(path in NOT_TEXTS || id in NOT_TEXTS))).toEqual([]);
  });

  it('have no exception that is not needed', () => {
    const needed = new Set(stray.flatMap(({ path, id }) => [path, id]));
    expect(Object.keys(NOT_TEXTS).filter((it) => !needed.has(it))).toEqual([]);
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
    `const EXACT = /[^"\`]/; /** It isn't "in a string" and it's not \`one\` either. */`,
    `// It isn't one: “two words”.`,
  ])('passes over %s', (code) => {
    expect(found(code)).toEqual([]);
  });

  it('passes over texts files', () => {
    const code = `export const A = 'Nothing ran.';`;
    expect(found(code, 'src/slack/texts.ts')).toEqual([]);
    expect(found(code, 'src/slack/texts/cards.ts')).toEqual([]);
    expect(found(code, 'src/slack/context.ts')).toEqual(['Nothing ran.']);
  });
});
