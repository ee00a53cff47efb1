import { describe, expect, it } from 'vitest';
import { readEnv } from '../../../src/config/env.ts';
import { switchOffLangChain } from '../../../src/config/langsmith.ts';

const ON = { LANGSMITH_TRACING: 'true', LANGSMITH_API_KEY: 'lsv2_pt_1618033988749894' };

describe('what is told to LangSmith', () => {
  it('is nothing unless it is switched on', () => {
    expect(readEnv({ LANGSMITH_API_KEY: ON.LANGSMITH_API_KEY }).langSmith).toBeNull();
    expect(readEnv({ ...ON, LANGSMITH_TRACING: 'false' }).langSmith).toBeNull();
  });

  it('goes to the project and the endpoint that are set', () => {
    const more = {
      LANGSMITH_PROJECT: 'office',
      LANGSMITH_ENDPOINT: 'https://eu.test',
      LANGSMITH_HIDE_INPUTS: 'TRUE',
    };
    expect(readEnv({ ...ON, ...more, LANGSMITH_TRACING_SAMPLING_RATE: '0.5' }).langSmith).toEqual({
      apiKey: ON.LANGSMITH_API_KEY,
      endpoint: 'https://eu.test',
      project: 'office',
      workspaceId: null,
      samplingRate: 0.5,
      hidesInputs: true,
      hidesOutputs: false,
    });
  });

  it('is read from the names of before, unless today’s are set', () => {
    const former = {
      LANGCHAIN_TRACING_V2: 'true',
      LANGCHAIN_API_KEY: 'lsv2_former_27182818',
      LANGCHAIN_PROJECT: 'old',
    };
    expect(readEnv(former).langSmith).toMatchObject({ apiKey: 'lsv2_former_27182818', project: 'old' });
    expect(readEnv({ ...former, ...ON }).langSmith).toMatchObject({ apiKey: ON.LANGSMITH_API_KEY });
  });

  it.each([
    [{ LANGSMITH_TRACING: 'true' }, 'LANGSMITH_API_KEY: must be set where LANGSMITH_TRACING is true'],
    [{ LANGSMITH_TRACING: 'yes' }, 'LANGSMITH_TRACING: must be true or false'],
    [{ ...ON, LANGSMITH_ENDPOINT: 'eu.test' }, 'LANGSMITH_ENDPOINT: must be an http or https address'],
    [{ ...ON, LANGSMITH_TRACING_SAMPLING_RATE: '2' }, 'must be a share from 0 to 1'],
  ])('stops the start for %o', (variables, message) => {
    expect(() => readEnv(variables)).toThrow(message);
  });

  it('is told by our tracer alone: LangChain’s own switches are taken away', () => {
    const environment: Record<string, string | undefined> = { ...ON, LANGCHAIN_TRACING_V2: 'true' };
    switchOffLangChain(environment);
    expect(environment).toEqual({ LANGSMITH_API_KEY: ON.LANGSMITH_API_KEY });
  });
});
