import fc from 'fast-check';
import {
  type Regimen,
  ROUTES,
  sampleTimes,
} from '../../../../../../src/app/demo-servers/simulation/maths/regimen.ts';
import {
  type Body,
  type Curve,
  simulate,
} from '../../../../../../src/app/demo-servers/simulation/maths/simulate.ts';
import { solveExactly } from './closed-forms.ts';

export const ORAL: Regimen = {
  ...{ route: 'oral', dose: 500, doseCount: 1, interval: 12, infusionDuration: 1 },
  ...{ lagTime: 0.25, bioavailability: 0.8 },
};

export const ONE: Body = { absorptionRate: 1, clearance: 5, centralVolume: 50, peripheral: null };
export const TWO: Body = { ...ONE, peripheral: { volume: 80, clearance: 10 } };

export const TOLERANCE = 1e-10;

/** The curve to `end`, in hours. */
export function solve(body: Body, regimen: Regimen, end: number, relativeTolerance = TOLERANCE): Curve {
  return finish(simulate({ body, regimen, times: sampleTimes(regimen, end, 100), relativeTolerance }));
}

/** What a generator returns, without giving way. */
export function finish<Result>(pieces: Generator<unknown, Result>): Result {
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

export const kinds = ([1, 2] as const).flatMap((compartments) =>
  ROUTES.flatMap((route) => [false, true].map((isRepeated) => ({ compartments, route, isRepeated }))),
);

/** Bodies and regimens as the server takes them; repeated doses overlap as infusions too. */
export function arbitraryRun(compartments: 1 | 2, route: Regimen['route'], isRepeated: boolean) {
  const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const peripheral = fc.record({ volume: between(5, 300), clearance: between(0.5, 50) });
  return fc
    .record({
      body: fc.record({
        absorptionRate: between(0.1, 5),
        clearance: between(0.5, 50),
        centralVolume: between(5, 200),
        peripheral: compartments === 1 ? fc.constant(null) : peripheral,
      }),
      regimen: fc.record({
        route: fc.constant(route),
        dose: between(0.1, 2000),
        doseCount: isRepeated ? fc.integer({ min: 2, max: 8 }) : fc.constant(1),
        interval: between(4, 24),
        infusionDuration: between(0.02, 30),
        lagTime: between(0, 2),
        bioavailability: between(0.05, 1),
      }),
      more: between(1, 48),
    })
    .filter(
      // The closed form for oral doses divides by the difference of the rates.
      ({ body, regimen }) =>
        solveExactly(body, regimen).rates.every((rate) => Math.abs(rate / body.absorptionRate - 1) > 0.01),
    )
    .map(({ body, regimen, more }) => ({ body, regimen, end: regimen.doseCount * regimen.interval + more }));
}
