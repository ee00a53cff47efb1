export { createHealthHttp, type Http } from './base.ts';
export { createThreadFeed, type ThreadFeed } from './events/feed.ts';
export { type ApiKeys, createApiKeys, type Scope } from './keys.ts';
export type { Listening } from './listen.ts';
export type { Check, HealthPorts, HttpPorts, Mount, WebPorts } from './ports.ts';
export { createHttp, type HttpOptions } from './server.ts';
export { CALLBACK_PATH } from './sign-in/browser.ts';
export { createOpenId } from './sign-in/openid.ts';
export { createSignIn, type SignIn } from './sign-in/sign-in.ts';
