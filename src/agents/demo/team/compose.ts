import { TEAM, TEAM_WHY } from '../texts.ts';
import { type Output, readOutputs } from './outputs.ts';

/** The answer from what the agents brought, with the numbers by which it's cited. */
export function compose(text: string): string {
  const outputs = readOutputs(text);
  return outputs.length === 0 ? TEAM.unread : outputs.map(describe).join('\n\n');
}

function describe({ what, done, error, brought: { answer, results, sources } }: Output): string {
  const task = what.replace(/\n[\s\S]*$/, '').replace(/[.?!]+$/, '');
  const said =
    answer === undefined ? null : cite(answer, [...results.flatMap((one) => one.sources), ...sources]);
  if (done) return said ?? TEAM.done(task);
  const why = TEAM.notDone(task, TEAM_WHY[error ?? ''] ?? error ?? TEAM.failed);
  return said === null ? why : `${why}\n${said}`;
}

/** Numbers in place of where the answer says that something stands; else all of them after its first line. */
function cite(answer: string, sources: readonly unknown[]): string {
  const numbered = sources.flatMap((source) => {
    const [, number, place] = /^(\[\d+\]) (.+)$/.exec(String(source)) ?? [];
    return number !== undefined && place !== undefined ? [{ number, place }] : [];
  });
  const inPlace = numbered.reduce((text, { number, place }) => text.replaceAll(`(${place})`, number), answer);
  if (inPlace !== answer || numbered.length === 0) return inPlace;
  const numbers = [...new Set(numbered.map(({ number }) => number))].join('');
  return answer.replace(/([.:]?)(\n|$)/, (_, stop: string, end: string) => ` ${numbers}${stop}${end}`);
}
