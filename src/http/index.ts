export { createThreadFeed, type ThreadFeed } from './events/feed.ts';
export { type ApiKeys, createApiKeys, type Scope } from './keys.ts';
export type { Listening } from './listen.ts';
export type { Check, HttpPorts, Mount } from './ports.ts';
export { createHttp, type Http, type HttpOptions } from './server.ts';
