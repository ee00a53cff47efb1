import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Where a run of the tests notes which of its files failed, for `test/again.ts`. */
export const FAILED_FILES = new URL('../../node_modules/.cache/failed-files.json', import.meta.url).pathname;

/** One file of tests that failed, with the vitest project that it failed in. */
export type FailedFile = { project: string; file: string };

/** Vitest's reporter that writes {@link FAILED_FILES}; an empty list where nothing failed. */
export default class FailedFiles implements Reporter {
  onInit(): void {
    // What an earlier run noted says nothing of this one, should it end before it can note anything.
    rmSync(FAILED_FILES, { force: true });
  }

  onTestRunEnd(...[modules, errors]: Parameters<NonNullable<Reporter['onTestRunEnd']>>): void {
    // An error outside of every test, such as a rejection that nobody awaits, names only its file, if any.
    const unhandled = errors.map((error) => error.VITEST_TEST_PATH);
    const failed = modules.filter((module) => !module.ok() || unhandled.includes(module.moduleId));
    const files = failed.map((module) => ({
      project: module.project.name,
      file: relative('.', module.moduleId),
    }));
    const nameless = unhandled.some((path) => !modules.some(({ moduleId }) => moduleId === path));
    if (nameless) return;
    mkdirSync(dirname(FAILED_FILES), { recursive: true });
    writeFileSync(FAILED_FILES, JSON.stringify(files));
  }
}
