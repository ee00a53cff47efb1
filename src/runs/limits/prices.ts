import { globMatcher } from '../../lib/regex.ts';
import type { TokenUse } from '../../tools/ports.ts';

/** What a million tokens of a model cost, in dollars: so many millionths of a dollar for one. */
interface ModelPrice {
  readonly input: number;
  /** @default as input */
  readonly cached_input?: number | undefined;
  readonly output: number;
}

/** `model_prices` of `countersign.yaml`: prices by globs of models' names. */
type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** What tokens cost, in millionths of a dollar, rounded up. */
export type TokenCost = (tokens: TokenUse) => number;

/** What tokens of this model cost, by the first price that fits its name; null where none does. */
export function findTokenCost(prices: ModelPrices, model: string): TokenCost | null {
  const found = Object.entries(prices).find(([glob]) => globMatcher(glob)(model));
  if (!found) return null;
  const [, { input, cached_input: cached = input, output }] = found;
  return (tokens) => Math.ceil(tokens.input * input + tokens.cached * cached + tokens.output * output);
}
