/**
 * Patterns over texts that people do not control, run in time proportional to pattern × text whatever both
 * say: no backtracking, so that no text can hold the process up (Thompson's construction, as in RE2).
 */

/** Whether a character is among those meant, in any of the forms, as code points, that it may be taken for. */
type CharacterTest = (forms: readonly number[]) => boolean;

/** An end of the text, where no character is read. */
type Edge = 'begin' | 'end';

export type PatternNode =
  | { readonly kind: 'one'; readonly test: CharacterTest }
  | { readonly kind: 'edge'; readonly of: Edge }
  | { readonly kind: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly min: number;
      readonly max: number | null;
    };

type Instruction =
  | { readonly op: 'one'; readonly test: CharacterTest }
  | { readonly op: 'edge'; readonly of: Edge }
  | { readonly op: 'go'; readonly to: readonly number[] }
  | { readonly op: 'end' };
export type PatternProgram = readonly Instruction[];

/** Deep enough for any rule, and no deeper than the stack; a text of {@link MAX_TEXT} takes some 100 ms then. */
const MAX_INSTRUCTIONS = 500;
/** Longer texts, in UTF-16 units, are not matched at all; whoever asks takes them for unclear. */
export const MAX_TEXT = 10_000;

/** The program of a pattern; null when it would be too long, by default to run on every call. */
export function compilePattern(node: PatternNode, most = MAX_INSTRUCTIONS): PatternProgram | null {
  if (sizeOf(node) > most) return null;
  const program: Instruction[] = [];
  emit(node, program);
  return [...program, { op: 'end' }];
}

function sizeOf(node: PatternNode): number {
  const sum = (nodes: readonly PatternNode[]) => nodes.reduce((size, part) => size + sizeOf(part), 0);
  switch (node.kind) {
    case 'one':
    case 'edge':
      return 1;
    case 'all':
      return sum(node.parts);
    case 'either':
      return 1 + node.options.length + sum(node.options);
    case 'repeat':
      return (sizeOf(node.part) + 3) * Math.max(node.min + (node.max === null ? 1 : 0), node.max ?? 1);
  }
}

function emit(node: PatternNode, program: Instruction[]): void {
  switch (node.kind) {
    case 'one':
      program.push({ op: 'one', test: node.test });
      return;
    case 'edge':
      program.push({ op: 'edge', of: node.of });
      return;
    case 'all':
      for (const part of node.parts) emit(part, program);
      return;
    case 'either':
      emitEither(node.options, program);
      return;
    case 'repeat':
      for (let count = 0; count < node.min; count += 1) emit(node.part, program);
      if (node.max === null) emitLoop(node.part, program);
      emitAtMost(node.part, (node.max ?? 0) - node.min, program);
  }
}

function emitEither(options: readonly PatternNode[], program: Instruction[]): void {
  const fork = program.push({ op: 'end' }) - 1;
  const starts: number[] = [];
  const leaps: number[] = [];
  for (const option of options) {
    starts.push(program.length);
    emit(option, program);
    leaps.push(program.push({ op: 'end' }) - 1);
  }
  program[fork] = { op: 'go', to: starts };
  for (const leap of leaps) program[leap] = { op: 'go', to: [program.length] };
}

function emitLoop(part: PatternNode, program: Instruction[]): void {
  const fork = program.push({ op: 'end' }) - 1;
  emit(part, program);
  program.push({ op: 'go', to: [fork] });
  program[fork] = { op: 'go', to: [fork + 1, program.length] };
}

/** Each fork leaves the whole repetition, so that there is one way on after each part and not as many as are left. */
function emitAtMost(part: PatternNode, times: number, program: Instruction[]): void {
  const forks: number[] = [];
  for (let count = 0; count < times; count += 1) {
    forks.push(program.push({ op: 'end' }) - 1);
    emit(part, program);
  }
  for (const fork of forks) program[fork] = { op: 'go', to: [fork + 1, program.length] };
}

/** Whether the pattern fits the whole text; with `anyCase` also when it does so in another case. */
export function fitsWhole(program: PatternProgram, text: string, anyCase = false): boolean {
  // The number of the last character before which an instruction was reached, so that none is followed twice.
  const seen = new Int32Array(program.length).fill(-1);
  let places: number[] = [];
  let read = 0;
  let offset = 0;
  reach(program, 0, { read, isEnd: text === '' }, seen, places);
  for (const character of text) {
    const forms = formsOf(character, anyCase);
    const next: number[] = [];
    read += 1;
    offset += character.length;
    const spot = { read, isEnd: offset === text.length };
    for (const place of places) {
      const instruction = program[place];
      if (instruction?.op === 'one' && instruction.test(forms)) reach(program, place + 1, spot, seen, next);
    }
    if (next.length === 0) return false;
    places = next;
  }
  return seen[program.length - 1] === read;
}

/** A place in the text: how many characters were read, and whether there are no more. */
interface Spot {
  readonly read: number;
  readonly isEnd: boolean;
}

/** Adds the instructions that can be stood on without reading a character. */
function reach(program: PatternProgram, from: number, spot: Spot, seen: Int32Array, places: number[]): void {
  if (seen[from] === spot.read) return;
  seen[from] = spot.read;
  const instruction = program[from];
  if (instruction?.op === 'edge') {
    const isThere = instruction.of === 'begin' ? spot.read === 0 : spot.isEnd;
    if (isThere) reach(program, from + 1, spot, seen, places);
  } else if (instruction?.op === 'go') {
    for (const to of instruction.to) reach(program, to, spot, seen, places);
  } else places.push(from);
}

function formsOf(character: string, anyCase: boolean): readonly number[] {
  const forms = anyCase ? [character, character.toLowerCase(), character.toUpperCase()] : [character];
  return [...new Set(forms.map((form) => form.codePointAt(0) ?? 0))];
}
