export { type ApiKeys, createApiKeys, ENVIRONMENT_KEY_NAME } from './api/keys.ts';
export { type Authorization, createAuthorization } from './authorization/authorization.ts';
export { createIsLetIn } from './authorization/personal-programs.ts';
export { findPersonalPrograms } from './authorization/records.ts';
export { createHealthHttp, type Http } from './base.ts';
export { scopeSchema } from './caller.ts';

export { Metrics, type Vitals } from './metrics/metrics.ts';
export type { Check, Queues } from './ports.ts';
export { createHttp, type HttpPorts } from './server.ts';
export { createThreadFeed, forgetThreadEvents } from './threads/feed.ts';
export { createHttpSurface } from './threads/surface.ts';
export type { AdminPorts } from './web/admin/ports.ts';
export { createVerification } from './web/admin/verification.ts';
export type { WebPorts } from './web/ports.ts';
export { createDecideUrl } from './web/session/cookies.ts';
export { createSignIn } from './web/session/sessions.ts';
export { createOpenId } from './web/session/slack-openid.ts';
