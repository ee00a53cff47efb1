export { createLab } from './lab.ts';
export { createSimulationServer } from './server.ts';
