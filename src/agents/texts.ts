/** The texts of the agents that people read; what models read is in the prompts. */

/** Why a run was stopped after so many steps. */
export function tooManySteps(maxSteps: number): string {
  return `I got stuck after ${maxSteps} steps and stopped. What already ran stays done, and nothing else will run. Try a smaller request.`;
}

export const IGNORED = "OK. I didn't run what you ignored, and I stopped there.";
export const NO_ANSWER = 'I have no answer to that.';
export const DONE = 'Done.';
export const THINKING = 'thinking…';

/** How many actions succeeded, where the model itself says nothing. */
export function countDone({ done, all }: { readonly done: number; readonly all: number }): string {
  return `${done} of ${all} actions were done; the others were not.`;
}

/** Why the calls of a run never fitted their tools; `problems` is one line for each. */
export function argumentsNeverFitted(problems: readonly string[]): string {
  return `I tried three times and could not get the arguments right:\n${problems.join('\n')}\nTell me what to use instead, and I'll try again.`;
}
