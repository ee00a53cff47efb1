import { Coverage, type Point } from './coverage.ts';
import { GLYPHS, UNITS_PER_EM } from './glyphs.ts';
import { encodePng } from './png.ts';

/** Red, green and blue, each up to 255. */
export type Colour = readonly [number, number, number];

interface TextStyle {
  readonly size: number;
  readonly colour: Colour;
  /** Where the point is on the text. @default 'start' */
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Whether it runs upwards. @default false */
  readonly isUpwards?: boolean;
}

/** A white picture to draw on, with its origin at the top left. Letters are outlines of its own, so that none is missing. */
export class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #scale: number;
  readonly #rgb: Uint8Array;
  readonly #coverage: Coverage;

  /** @param scale pixels for each unit of width and height. */
  constructor(width: number, height: number, scale: number) {
    [this.#width, this.#height, this.#scale] = [width * scale, height * scale, scale];
    this.#rgb = new Uint8Array(this.#width * this.#height * 3).fill(255);
    this.#coverage = new Coverage(this.#width, this.#height);
  }

  fill(outline: readonly Point[], colour: Colour, opacity = 1): void {
    this.#add(outline);
    this.#paint(colour, opacity);
  }

  line(points: readonly Point[], width: number, colour: Colour): void {
    for (const [i, to] of points.entries()) {
      const from = points[i - 1];
      if (from !== undefined) this.#add(quad(from, to, width));
      const next = points[i + 1];
      if (from !== undefined && next !== undefined && turns(from, to, next)) this.#add(circle(to, width / 2));
    }
    this.#paint(colour, 1);
  }

  dot(centre: Point, radius: number, colour: Colour): void {
    this.fill(circle(centre, radius), colour);
  }

  text([x, y]: Point, text: string, { size, colour, anchor = 'start', isUpwards = false }: TextStyle): void {
    const unit = size / UNITS_PER_EM;
    const part = { start: 0, middle: 0.5, end: 1 }[anchor];
    let pen = -part * measureText(text, size);
    for (const letter of text) {
      const [width, outline] = findGlyph(letter);
      const place = ([gx, gy]: Point): Point => {
        const [along, up] = [pen + gx * unit, gy * unit];
        return isUpwards ? [x - up, y - along] : [x + along, y - up];
      };
      for (const contour of readOutline(outline)) this.#add(contour.map(place));
      pen += width * unit;
    }
    this.#paint(colour, 1);
  }

  toPng(): Promise<Uint8Array> {
    return encodePng(this.#width, this.#height, this.#rgb);
  }

  #add(outline: readonly Point[]): void {
    this.#coverage.add(outline.map(([x, y]) => [x * this.#scale, y * this.#scale]));
  }

  #paint([red, green, blue]: Colour, opacity: number): void {
    const rgb = this.#rgb;
    const mix = (at: number, value: number, part: number) => {
      const before = rgb[at] ?? 0;
      rgb[at] = Math.round(before + (value - before) * part);
    };
    this.#coverage.flush((x, y, covered) => {
      const at = (y * this.#width + x) * 3;
      const part = covered * opacity;
      mix(at, red, part);
      mix(at + 1, green, part);
      mix(at + 2, blue, part);
    });
  }
}

/** How wide a text is. */
export function measureText(text: string, size: number): number {
  const units = [...text].reduce((sum, letter) => sum + findGlyph(letter)[0], 0);
  return (units * size) / UNITS_PER_EM;
}

function findGlyph(letter: string): readonly [width: number, outline: string] {
  return GLYPHS.get(letter) ?? GLYPHS.get('?') ?? [0, ''];
}

/** Straight pieces that stand for a curve of a letter. */
const PIECES = 6;

/** The contours of a letter's outline, with curves as straight pieces. */
function readOutline(outline: string): Point[][] {
  const contours: Point[][] = [];
  for (const [, command, list] of outline.matchAll(/([MLQZ])([^MLQZ]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0] = (list ?? '').split(' ').map(Number);
    const contour = contours.at(-1);
    if (command === 'M') contours.push([[a, b]]);
    if (command === 'L') contour?.push([a, b]);
    if (command === 'Q') {
      const [x, y] = contour?.at(-1) ?? [a, b];
      for (let i = 1; i <= PIECES; i++) {
        const [t, rest] = [i / PIECES, 1 - i / PIECES];
        const blend = (from: number, by: number, to: number) =>
          rest * rest * from + 2 * rest * t * by + t * t * to;
        contour?.push([blend(x, a, c), blend(y, b, d)]);
      }
    }
  }
  return contours;
}

/** The area of a straight line of some width. As all outlines of a line, it runs clockwise. */
function quad([x0, y0]: Point, [x1, y1]: Point, width: number): Point[] {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [((x1 - x0) / length) * (width / 2), ((y1 - y0) / length) * (width / 2)];
  return [
    [x0 + dy, y0 - dx],
    [x1 + dy, y1 - dx],
    [x1 - dy, y1 + dx],
    [x0 - dy, y0 + dx],
  ];
}

/** A line that bends by more than 8° has a round joint; of less, no gap is seen. */
const BEND = Math.cos((8 * Math.PI) / 180);

function turns([x0, y0]: Point, [x1, y1]: Point, [x2, y2]: Point): boolean {
  const [ax, ay, bx, by] = [x1 - x0, y1 - y0, x2 - x1, y2 - y1];
  return ax * bx + ay * by < BEND * Math.hypot(ax, ay) * Math.hypot(bx, by);
}

const CORNERS = 16;

function circle([x, y]: Point, radius: number): Point[] {
  return Array.from({ length: CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / CORNERS;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}
