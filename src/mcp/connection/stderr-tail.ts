import { stripVTControlCharacters } from 'node:util';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';

/** What is shown of them: so many lines, and characters in all. */
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;
/** What is kept to choose from: the last lines, and the beginning of each. */
const KEPT_LINES = 50;
const KEPT_CHARACTERS = 1_000;

/** A runtime's traces: frames, the line of source that threw, and the runtime's own name. */
const TRACE = /^\s*(?:at |throw |\^+\s*$|File ")|^Node\.js v|^(?:file:\/\/|node:)\S*:\d+$/;
const SPEAKS_OF_AN_ERROR = /error|fatal|panic/i;
/** What would be read without being seen; the plain space is not among it. */
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

export interface StderrTail {
  hear(line: string): void;
  /** From the first line that speaks of an error, else the last lines; empty when nothing was said. */
  text(): string;
}

/** Listens to what a server's process writes to its standard error, to say why it ended; everybody may read that. */
export function createStderrTail(config: ServerConfig): StderrTail {
  const lines: string[] = [];
  const mask = createSecretMask(config);
  return {
    hear(line) {
      const said = mask(stripVTControlCharacters(line)).replaceAll('\t', ' ');
      if (said.trim() === '' || TRACE.test(said)) return;
      const kept = said.trim().slice(0, KEPT_CHARACTERS);
      // What is said again, by a process that is started a second time, is no news.
      if (lines.includes(kept)) return;
      lines.push(kept);
      if (lines.length > KEPT_LINES) lines.shift();
    },
    text() {
      const first = lines.findIndex((line) => SPEAKS_OF_AN_ERROR.test(line));
      const shown = first < 0 ? lines.slice(-SHOWN_LINES) : lines.slice(first, first + SHOWN_LINES);
      const text = shown.join('; ').replace(HIDDEN, escapeOf);
      return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1).toWellFormed()}…` : text;
    },
  };
}

function escapeOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
