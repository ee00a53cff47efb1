/** Gives the next random number. */
type Random = () => number;

/**
 * Standard normal numbers, which depend on nothing but the seed and the stream: streams of one seed have nothing to do
 * with each other. Numbers of 32 bits by sfc32 (C. Doty-Humphrey, PractRand), made normal by Box and Muller's method.
 */
export function createNormal(seed: number, stream: number): Random {
  const uniform = createUniform(seed, stream);
  return () => {
    // The logarithm of 0 is none.
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  };
}

/** The numbers that are drawn and not used, so that similar seeds have long been mixed. */
const WARM_UP = 16;

/** From 0 to less than 1. */
function createUniform(seed: number, stream: number): Random {
  let [a, b, c, counter] = [seed | 0, stream | 0, Math.floor(seed / 2 ** 32) | 0, 1];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < WARM_UP; i++) next();
  return next;
}
