export type Point = readonly [x: number, y: number];

const NOWHERE = { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: 0, bottom: 0 };

/**
 * How much of each pixel lies inside of outlines. Each edge adds the area between itself and the right border to the
 * pixels that it crosses, and running sums along the rows give the insides (as in font-rs, R. Levien). Outlines in the
 * same direction add up, in the other they make holes.
 */
export class Coverage {
  readonly #width: number;
  readonly #height: number;
  readonly #deltas: Float32Array;
  /** The pixels that outlines may have touched. */
  #bounds = NOWHERE;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    // An edge at the right border writes beyond it.
    this.#deltas = new Float32Array((width + 2) * height);
  }

  /** Adds a closed outline. */
  add(outline: readonly Point[]): void {
    let from = outline.at(-1);
    for (const to of outline) {
      if (from !== undefined) this.#addEdge(this.#clamp(from), this.#clamp(to));
      from = to;
    }
  }

  /** Calls back for each pixel that is covered, by a part of up to 1, and forgets the outlines. */
  flush(paint: (x: number, y: number, part: number) => void): void {
    const { left, top, right, bottom } = this.#bounds;
    for (let y = top; y < bottom; y++) {
      let sum = 0;
      const row = y * (this.#width + 2);
      for (let x = left; x < right; x++) {
        sum += this.#deltas[row + x] ?? 0;
        const part = Math.min(1, Math.abs(sum));
        // Less cannot be seen, and rounding leaves some.
        if (part > 1 / 512) paint(x, y, part);
      }
      this.#deltas.fill(0, row, row + this.#width + 2);
    }
    this.#bounds = NOWHERE;
  }

  #clamp([x, y]: Point): Point {
    return [Math.min(this.#width, Math.max(0, x)), Math.min(this.#height, Math.max(0, y))];
  }

  #addEdge(from: Point, to: Point): void {
    if (from[1] === to[1]) return;
    const isDown = from[1] < to[1];
    const [[x0, y0], [x1, y1]] = isDown ? [from, to] : [to, from];
    const slope = (x1 - x0) / (y1 - y0);
    const [first, last] = [Math.floor(y0), Math.ceil(y1)];
    let x = x0;
    for (let y = first; y < last; y++) {
      const height = Math.min(y + 1, y1) - Math.max(y, y0);
      const next = x + slope * height;
      const signed = isDown ? height : -height;
      this.#addToRow(y * (this.#width + 2), Math.min(x, next), Math.max(x, next), signed);
      x = next;
    }
    const { left, top, right, bottom } = this.#bounds;
    this.#bounds = {
      left: Math.min(left, Math.floor(Math.min(x0, x1))),
      top: Math.min(top, first),
      right: Math.max(right, Math.min(this.#width, Math.ceil(Math.max(x0, x1)))),
      bottom: Math.max(bottom, last),
    };
  }

  /** Adds an edge that crosses one row from `left` to `right`: to each pixel the area at the edge's right, less what came before. */
  #addToRow(row: number, left: number, right: number, signed: number): void {
    const first = Math.floor(left);
    const last = Math.max(first, Math.ceil(right) - 1);
    let before = 0;
    for (let pixel = first; pixel <= last; pixel++) {
      const covered = signed * measureRight(left, right, pixel);
      this.#bump(row + pixel, covered - before);
      before = covered;
    }
    this.#bump(row + last + 1, signed - before);
  }

  #bump(index: number, by: number): void {
    this.#deltas[index] = (this.#deltas[index] ?? 0) + by;
  }
}

/** The part of a pixel at the right of a line that runs evenly from `left` to `right`, over the height of the row. */
function measureRight(left: number, right: number, pixel: number): number {
  // The mean of how far the line's points are from the pixel's right border, between 0 and 1.
  const area = (x: number) => {
    const rest = pixel + 1 - x;
    return rest <= 0 ? 0 : rest >= 1 ? rest - 0.5 : (rest * rest) / 2;
  };
  if (right - left < 1e-6) return Math.min(1, Math.max(0, pixel + 1 - left));
  return (area(left) - area(right)) / (right - left);
}
