export { drawChart } from './chart.ts';
export { prepareContenders } from './contenders.ts';
export { evaluate } from './evaluate.ts';
export { questionFileSchema } from './question-file.ts';
export { describeEvaluation, keptEvaluationSchema } from './report.ts';
