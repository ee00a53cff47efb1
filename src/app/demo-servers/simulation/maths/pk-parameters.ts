import { countDoses, type Regimen } from './regimen.ts';
import type { Body, Curve } from './simulate.ts';

/**
 * What pharmacologists ask of a run; times in hours, concentrations in mg/L. The peak and the area to the end are of the
 * curve. What lies past the end is of the model, which says exactly what a slope fitted to the curve would only come near.
 */
export interface PkParameters {
  readonly cmax: number;
  readonly tmax: number;
  /** From 0 to the last time, in mg·h/L. */
  readonly aucToEnd: number;
  /** The concentration at the last time. */
  readonly atEnd: number;
  /** From 0 to infinity, in mg·h/L, of all doses that are given before the end. */
  readonly aucToInfinity: number;
  readonly terminal: TerminalPhase;
}

/** The phase in which the concentration falls at last, by the slowest process. */
interface TerminalPhase {
  /** In hours. */
  readonly halfLife: number;
  /** `absorption` where an oral dose is absorbed more slowly than the body would lose it (flip-flop kinetics). */
  readonly limitedBy: 'elimination' | 'absorption';
}

interface PkInput {
  readonly body: Body;
  readonly regimen: Regimen;
  /** In hours. */
  readonly end: number;
  readonly curve: Curve;
}

/** @see Gabrielsson, Weiner: Pharmacokinetic and Pharmacodynamic Data Analysis, on compartmental analysis */
export function calculatePkParameters({ body, regimen, end, curve }: PkInput): PkParameters {
  const { concentrations, peak, area } = curve;
  const absorbed = regimen.dose * (regimen.route === 'oral' ? regimen.bioavailability : 1);
  return {
    ...{ cmax: peak.concentration, tmax: peak.time, aucToEnd: area, atEnd: concentrations.at(-1) ?? 0 },
    // Whatever enters leaves by the clearance.
    aucToInfinity: (countDoses(regimen, end) * absorbed) / body.clearance,
    terminal: findTerminalPhase(body, regimen),
  };
}

function findTerminalPhase(body: Body, { route }: Regimen): TerminalPhase {
  const elimination = findSlowestRate(body);
  const isFlipFlop = route === 'oral' && body.absorptionRate < elimination;
  const rate = isFlipFlop ? body.absorptionRate : elimination;
  return { halfLife: Math.LN2 / rate, limitedBy: isFlipFlop ? 'absorption' : 'elimination' };
}

/** The smallest rate of disposition, per hour: λz, which is β of two compartments. */
function findSlowestRate({ clearance, centralVolume, peripheral }: Body): number {
  const elimination = clearance / centralVolume;
  if (peripheral === null) return elimination;
  const outward = peripheral.clearance / centralVolume;
  const back = peripheral.clearance / peripheral.volume;
  const fastest =
    (elimination + outward + back + Math.hypot(elimination + outward - back, 2 * Math.sqrt(outward * back))) /
    2;
  // The product of both rates is known; their difference would lose digits where one is much smaller.
  return (elimination * back) / fastest;
}
