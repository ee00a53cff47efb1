import { stripVTControlCharacters } from 'node:util';
import { NOT_ON_ONE_LINE } from '../../lib/unicode.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';

/** What is displayed: at most this many lines, and characters in total. */
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;
/** What is kept to choose from: the last lines, and the start of each. */
const KEPT_LINES = 50;
const KEPT_CHARACTERS = 1_000;

/**
 * Noise of stack traces: frames, the source line that threw, what Node prints of an error's properties, and the
 * runtime's version.
 */
const TRACE =
  /^\s*(?:at |throw |[\^~]+\s*$|File "|- \/|[\]}]|(?:code|errno|syscall|path|requireStack|spawnargs): )|^Node\.js v|^(?:file:\/\/|node:|\/|\[eval)\S*:\d+$/;
/** Frames in the line of the error itself, as where a logger writes the stack as one text. */
const FRAMES = /(?:\\n|\s)\s*at \S.*:\d+:\d+.*$/;
/** What a runtime or a program begins the line of an error with. */
const IS_ERROR = /^(?:uncaught )?(?:[\w.]*(?:error|exception)\b|fatal|panic)/i;
const SPEAKS_OF_AN_ERROR = /error|\bERR!|fatal|panic/i;

interface StderrTail {
  append(line: string): void;
  /**
   * The lines from the first one that is an error, else from the first that mentions one, else the last lines; empty if
   * nothing was written.
   */
  text(): string;
}

/**
 * Keeps the last lines that a server's process wrote to standard error, to explain why it ended. Secrets are
 * masked, because anybody may read them.
 */
export function createStderrTail(config: ServerConfig): StderrTail {
  const lines: string[] = [];
  const mask = createSecretMask(config);
  return {
    append(line) {
      const text = mask(stripVTControlCharacters(line)).replaceAll('\t', ' ').replace(FRAMES, '');
      if (text.trim() === '' || TRACE.test(text)) return;
      const kept = text.trim().slice(0, KEPT_CHARACTERS);
      // A process that is started a second time repeats itself.
      if (lines.includes(kept)) return;
      lines.push(kept);
      if (lines.length > KEPT_LINES) lines.shift();
    },
    text() {
      const error = lines.findIndex((line) => IS_ERROR.test(line));
      const first = error < 0 ? lines.findIndex((line) => SPEAKS_OF_AN_ERROR.test(line)) : error;
      const shown = first < 0 ? lines.slice(-SHOWN_LINES) : lines.slice(first, first + SHOWN_LINES);
      const text = shown.join('; ').replace(NOT_ON_ONE_LINE, escapeCharacter);
      return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1).toWellFormed()}…` : text;
    },
  };
}

function escapeCharacter(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
