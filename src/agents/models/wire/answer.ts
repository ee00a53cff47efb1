import { MAX_DEPTH, truncateDepth } from '../../../lib/json.ts';
import type { AnswerEnding } from '../answer-ending.ts';
import { ReasoningFilter } from './reasoning.ts';
import type { WireCall, WireChoice, WireCompletion, WireMessage } from './schemas.ts';

interface HeldCall {
  readonly index: number | null;
  id: string | null;
  name: string | null;
  arguments: string;
}

/** A call as OpenAI writes it, but perhaps without an id. */
interface PlainCall {
  readonly index: number;
  readonly id?: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What providers besides OpenAI call the reasons for which an answer ends; all others mean that it is whole. */
const ENDINGS: readonly (readonly [RegExp, AnswerEnding])[] = [
  [/length|max_?tokens/i, 'length'],
  [/filter|safety|sensitive|recitation|prohibited|blocklist|spii/i, 'content_filter'],
  [/refusal/i, 'refusal'],
  // OpenRouter's `error`, DeepSeek's `insufficient_system_resource`, Gemini's `MALFORMED_FUNCTION_CALL`.
  [/error|insufficient|malformed/i, 'incomplete'],
];

/**
 * One answer of a model, gathered from the pieces in which compatible servers send it: ids that are empty,
 * doubled or missing, no role, calls that share an index, arguments as objects, reasoning in the text. Text can
 * be shown as it comes; calls are held until the end, when it is known which pieces belong together.
 */
export class WireAnswer {
  readonly #calls: HeldCall[] = [];
  readonly #reasoning = new ReasoningFilter();
  #ending: AnswerEnding | null = null;
  #hasRefused = false;
  #isBegun = false;

  /** Whether there was a choice with something in it. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /**
   * Adds a piece; returns the text that can be shown now. We ask for one choice, so several are parts of it:
   * GitHub Copilot sends Claude's text and calls in choices of their own, which bridges to it merge too
   * (`translateToAnthropic` in ericc-ch/copilot-api).
   */
  add({ choices }: WireCompletion): string {
    return (choices ?? []).map((choice) => this.#addChoice(choice)).join('');
  }

  /**
   * Ends the answer: the rest of its text, and its calls.
   * @param isWhole whether the server said that nothing more comes, if it gave no reason why.
   */
  end(isWhole: boolean): {
    readonly text: string;
    readonly calls: readonly PlainCall[];
    readonly ending: AnswerEnding;
  } {
    const calls = this.#calls.map(({ id, name, arguments: args }, index) => ({
      index,
      ...(id === null ? {} : { id }),
      type: 'function' as const,
      function: { name: name ?? '', arguments: args },
    }));
    const ending = this.#ending ?? (isWhole ? 'stop' : 'incomplete');
    return {
      text: this.#reasoning.end(),
      calls,
      ending: this.#hasRefused && ending === 'stop' ? 'refusal' : ending,
    };
  }

  #addChoice(choice: WireChoice): string {
    const message = choice.delta ?? choice.message ?? {};
    const { finish_reason: reason } = choice;
    // Neither another choice nor a proxy's closing `stop` makes an answer whole that the model said was cut off.
    if (reason && (this.#ending ?? 'stop') === 'stop') {
      this.#ending = ENDINGS.find(([words]) => words.test(reason))?.[1] ?? 'stop';
    }
    const calls = [...(message.tool_calls ?? []), ...(message.function_call ? [oldCall(message)] : [])];
    for (const call of calls) this.#addCall(call);
    this.#hasRefused ||= Boolean(message.refusal);
    const text = contentText(message) + (message.refusal ?? '');
    this.#isBegun ||= text !== '' || calls.length > 0 || Boolean(reason);
    return this.#reasoning.add(text);
  }

  #addCall({ index = null, id, function: called }: WireCall): void {
    const piece = { id, name: called?.name ?? null, arguments: argumentsText(called?.arguments) };
    const same = this.#calls.findLast((it) =>
      index === null ? id !== null && it.id === id : it.index === index,
    );
    // A piece without anything that identifies it continues the last call.
    const current = same ?? (index === null && piece.name === null ? this.#calls.at(-1) : undefined);
    if (current === undefined || beginsAnother(current, piece)) {
      this.#calls.push({ index, ...piece });
      return;
    }
    current.id ??= id;
    current.name ??= piece.name;
    current.arguments += piece.arguments;
  }
}

/**
 * Whether a piece that has the index or id of a call begins another one: Gemini and Ollama have sent several
 * calls under one index. Others repeat the name in each piece, or give each piece a new id, so that neither alone
 * is a sign.
 */
function beginsAnother(current: HeldCall, piece: Omit<HeldCall, 'index'>): boolean {
  if (piece.name === null || current.name === null) return false;
  if (piece.name !== current.name) return true;
  const hasAnotherId = piece.id !== null && current.id !== null && piece.id !== current.id;
  if (isComplete(current.arguments)) return hasAnotherId || piece.arguments.trim() !== '';
  return hasAnotherId && current.arguments === '';
}

function isComplete(args: string): boolean {
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}

/** Some servers send arguments as they are, not as JSON in a text. What is too deep to be read stays so, and is written. */
function argumentsText(args: unknown): string {
  if (args === null || args === undefined) return '';
  return typeof args === 'string' ? args : JSON.stringify(truncateDepth(args, MAX_DEPTH + 1));
}

function oldCall({ function_call: called }: WireMessage): WireCall {
  return { index: 0, id: null, function: called };
}

/** Mistral sends content in parts, with its reasoning in parts of another type. */
function contentText({ content }: WireMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}
