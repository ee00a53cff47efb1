import { type LevelA, OURS_REDIS, STOCK_REDIS } from './level-a.ts';
import { plot } from './plot.ts';

/** What other threads cost, as SVG. */
export function crowdPlot({ crowds }: LevelA): string {
  const series = [
    { name: OURS_REDIS, color: '#1d6fd8' },
    { name: STOCK_REDIS, color: '#c0392b' },
  ].map(({ name, color }) => ({
    name,
    color,
    // An empty store has no place on a logarithmic axis; 1 stands for it.
    points: crowds.map(({ crowd, turn }): [number, number] => [Math.max(crowd, 1), turn[name] ?? 0]),
  }));
  return plot({
    title: 'A turn with one approval, by the number of other threads in the store',
    x: 'other threads (1: none)',
    y: 'milliseconds',
    series,
  });
}
