import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Run in the page as text: a page's own rules for scripts don't bind what a debugger runs. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** All rules that axe runs by default, and the size of what is pressed, which it leaves to who asks. */
const RUN =
  "axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.flatMap(" +
  "({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) => impact + ' ' + id + ': ' + " +
  "target.join(' ') + ' ' + failureSummary)))";

/**
 * What axe finds on the page as it is shown now, one line each; none is how it should be. Animations end first: text
 * that fades in has no contrast yet.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((it) => it.effect.getTiming().iterations === Infinity ? null : it.finished))',
  );
  await page.evaluate(AXE);
  return page.evaluate<string[]>(RUN);
}
