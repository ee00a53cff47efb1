import { z } from 'zod';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import { readStart } from './times.ts';

/** Which of the arguments about times is wrong, and how. */
interface Problem {
  readonly name: 'time_zone' | 'start';
  readonly message: string;
}

/** A start in any zone, by which a zone without a start is read. */
const SOME_START = '2000-01-01T12:00:00';

/**
 * What the calendar refuses of a call's times, by its tools: so that nobody is asked for what it wouldn't do.
 *
 * @param home the zone when none is given.
 */
export function createTimeChecks(home: string): Readonly<Record<string, z.ZodType>> {
  return {
    list_events: checkTimes(home),
    create_event: checkTimes(home),
    // The zone of an event isn't known here; a start that no zone has is none in UTC either.
    update_event: checkTimes('UTC'),
  };
}

function checkTimes(home: string): z.ZodType {
  return z
    .looseObject({ start: z.string().optional(), time_zone: z.string().optional() })
    .superRefine(({ start, time_zone: zone }, context) => {
      const problem =
        findProblem('time_zone', SOME_START, zone ?? home) ??
        findProblem('start', start ?? SOME_START, zone ?? home);
      if (problem !== null) {
        context.addIssue({ code: 'custom', path: [problem.name], message: problem.message });
      }
    });
}

function findProblem(name: Problem['name'], start: string, zone: string): Problem | null {
  try {
    readStart(start, zone);
    return null;
  } catch (error) {
    if (!(error instanceof ToolProblem)) throw error;
    return { name, message: `can’t be: ${error.message}` };
  }
}
