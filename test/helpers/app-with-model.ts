import { onTestFinished } from 'vitest';
import { startTestApp, type TestAppOptions } from './app.ts';
import { startModel } from './model.ts';

/** The whole app and the model it asks, for one test; both end with it. */
export async function startAppWithModel(options: Omit<TestAppOptions, 'modelUrl'>) {
  const model = await startModel();
  const app = await startTestApp({ ...options, modelUrl: model.url });
  onTestFinished(async () => {
    // The app stops when its runs have come to rest, which they do not while the model thinks.
    model.giveUp();
    await app.stopApp();
    await model.stop();
    await app.remove();
  });
  return { model, app, driver: app.driver };
}
