export { type ApiKeys, createApiKeys, type Scope } from './api/keys.ts';
export { createHealthHttp, type Http } from './base.ts';
export type { Listening } from './listen.ts';
export type { Check, HealthPorts, HttpPorts, Mount, WebPorts } from './ports.ts';
export { createHttp, type HttpOptions } from './server.ts';
export { createThreadFeed, type ThreadFeed } from './threads/feed.ts';
export { CALLBACK_PATH } from './web/session/cookies.ts';
export { createSignIn, type SignIn } from './web/session/sessions.ts';
export { createOpenId } from './web/session/slack-openid.ts';
