import type { CpuProfile } from './probe-client.ts';

/** A function called from a certain place, with the time spent in it and in what it calls, in microseconds. */
interface Frame {
  readonly name: string;
  readonly area: string;
  self: number;
  total: number;
  readonly calls: Map<string, Frame>;
}

const WIDTH = 1_600;
const ROW = 16;
/** What is narrower, in pixels, is left out: nobody can see it, and the file stays small. */
const NARROWEST = 1.5;
const COLOURS = ['#f4a582', '#92c5de', '#fddbc7', '#b8e186', '#d9c2e9', '#ffe08a', '#a6dba0', '#c7d3e3'];

/** A profile as a picture: a function's width is its time, and what it calls stands on it. Idle time is left out. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = framesOf(profile);
  const areas = [...timeByArea(profile).keys()];
  const boxes: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, left: number, level: number): void => {
    depth = Math.max(depth, level);
    const width = (frame.total / root.total) * WIDTH;
    if (width < NARROWEST) return;
    const share = `${((100 * frame.total) / root.total).toFixed(1)}%`;
    const label = width < 40 ? '' : escapeXml(frame.name.slice(0, Math.floor(width / 7)));
    const colour = COLOURS[Math.max(0, areas.indexOf(frame.area)) % COLOURS.length];
    boxes.push(
      `<g transform="translate(${left.toFixed(1)} ${level * ROW})"><title>${escapeXml(`${frame.name} (${frame.area}) ${share}`)}</title><rect width="${width.toFixed(1)}" height="15" fill="${colour}"/><text x="2" y="11">${label}</text></g>`,
    );
    let at = left;
    for (const call of [...frame.calls.values()].toSorted((a, b) => b.total - a.total)) {
      draw(call, at, level + 1);
      at += (call.total / root.total) * WIDTH;
    }
  };
  draw(root, 0, 1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${(depth + 2) * ROW}" font-family="monospace" font-size="10">`,
    `<text x="2" y="12">${escapeXml(title)}</text>`,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

/** Busy time by package or folder of the source that spent it itself, in microseconds, most first. */
export function timeByArea(profile: CpuProfile): Map<string, number> {
  const times = new Map<string, number>();
  const add = (frame: Frame): void => {
    times.set(frame.area, (times.get(frame.area) ?? 0) + frame.self);
    for (const call of frame.calls.values()) add(call);
  };
  for (const call of framesOf(profile).calls.values()) add(call);
  return new Map([...times].toSorted(([, one], [, other]) => other - one));
}

/** The calls of a profile from its root, those of one function from one place put together. */
function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const selfTimes = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    selfTimes.set(id, (selfTimes.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const merge = (id: number, into: Frame): void => {
    const node = byId.get(id);
    if (!node || isNoWork(node.callFrame)) return;
    const { functionName, url, lineNumber } = node.callFrame;
    const key = `${functionName} ${url}:${lineNumber}`;
    const frame = into.calls.get(key) ?? newFrame(functionName || '(anonymous)', areaOf(url, functionName));
    into.calls.set(key, frame);
    frame.self += selfTimes.get(id) ?? 0;
    for (const child of node.children) merge(child, frame);
  };
  const root = newFrame('all', 'all');
  for (const id of nodes[0]?.children ?? []) merge(id, root);
  sumUp(root);
  return root;
}

/** Waiting, and the profiler itself. */
function isNoWork({ functionName, url }: { functionName: string; url: string }): boolean {
  return functionName === '(idle)' || url.startsWith('node:inspector');
}

function newFrame(name: string, area: string): Frame {
  return { name, area, self: 0, total: 0, calls: new Map() };
}

function sumUp(frame: Frame): number {
  frame.total = [...frame.calls.values()].reduce((sum, call) => sum + sumUp(call), frame.self);
  return frame.total;
}

/** The package, the folder of our source, Node's module, or what V8 and Node do themselves. */
function areaOf(url: string, functionName: string): string {
  const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (packageName !== undefined) return packageName;
  const [, folder] = /\/(src\/[^/]+)\//.exec(url) ?? [];
  if (folder !== undefined) return folder;
  if (url === '') return functionName.startsWith('(') ? functionName : `native ${functionName}`;
  return url.startsWith('node:') ? url.split('/').slice(0, 2).join('/') : 'other';
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
