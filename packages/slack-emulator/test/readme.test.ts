import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the README shows the example that runs here', () => {
  const [, shown] = /```ts\n(.*?)```/s.exec(read('../README.md')) ?? [];
  expect(shown).toBe(
    read('./example.test.ts').replace(
      "import { expect, it } from 'vitest';\nimport { startSlackEmulator } from '../src/index.ts';",
      "import { startSlackEmulator } from '@countersign/slack-emulator';\nimport { expect, it } from 'vitest';",
    ),
  );
});
