import type { AskModel } from '../../memory/ports.ts';
import type { Limits } from '../../runs/index.ts';
import type { Account } from '../../tools/ports.ts';
import type { Extract } from '../compose-models.ts';

interface AskPorts {
  readonly limits: Pick<Limits, 'assertTokens' | 'spend'>;
  readonly extract: Extract;
}

/** Asks a model beside runs, on somebody's account: what it takes counts as what the router takes. */
export function createAskBeside({ limits, extract }: AskPorts) {
  return (account: Account): AskModel =>
    async (request, signal) => {
      await limits.assertTokens(account);
      const { text, tokens } = await extract(request, signal);
      if (tokens) limits.spend(account, tokens, 'router');
      return text;
    };
}
