import { FULL, measureLevelA, QUICK } from './level-a.ts';
const sizes = process.argv.includes('--quick') ? QUICK : FULL;
const t = performance.now();
const levelA = await measureLevelA(sizes, (p) => console.error(`${((performance.now()-t)/1000).toFixed(1)}s ${p}`));
console.log(JSON.stringify(levelA, null, 1));
console.error(((performance.now()-t)/1000).toFixed(1));
