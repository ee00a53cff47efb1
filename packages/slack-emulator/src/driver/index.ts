/** The driver: how tests act as the people of the workspace and see what the app did. */
export type { RecordedCall } from '../web-api/dispatch.ts';
export type { Fault } from '../web-api/faults.ts';
export type { Driver } from './driver.ts';
export type { PersonDriver, PostedFile, Values } from './person.ts';
export { type Rendered, renderText } from './render-text.ts';
