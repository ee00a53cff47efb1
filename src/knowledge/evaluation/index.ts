export { drawChart } from './chart.ts';
export { evaluate, searchByAnswers } from './evaluate.ts';
export { questionFileSchema } from './question-file.ts';
export { describeEvaluation, keptEvaluationSchema } from './report.ts';
