import { createHmac, randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { AppIdentity, Workspace } from '../workspace/types.ts';
import { type Ack, type Delivery, type Envelope, NotAcknowledged } from './delivery.ts';

const FORM = 'application/x-www-form-urlencoded';

interface HttpEvents extends Delivery {
  /** Checks the address as Slack does when it is entered. Rejects when the challenge does not come back. */
  verify(): Promise<void>;
}

/** Events, interactions and commands as signed POSTs to the app's request URL, answered within `ackMs`. */
export function createHttpEvents(workspace: Workspace, requestUrl: string, ackMs: number): HttpEvents {
  let verified = false;
  const post = async (type: string, body: string, extra: Record<string, string> = {}): Promise<Response> => {
    const timestamp = String(Math.floor(workspace.clock.now() / 1000));
    const headers = { ...signatureHeaders(workspace.app, timestamp, body), ...extra, 'content-type': type };
    try {
      return await fetch(requestUrl, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(ackMs),
      });
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      throw new NotAcknowledged(isTimeout ? 'timeout' : 'connection_failed');
    }
  };
  const verify = async (): Promise<void> => {
    const challenge = randomUUID();
    const body = { token: workspace.app.verificationToken, challenge, type: 'url_verification' };
    const response = await post('application/json', JSON.stringify(body));
    const text = await response.text();
    verified = response.ok && (text === challenge || parse(text)?.challenge === challenge);
    if (!verified) throw new NotAcknowledged('http_error');
    workspace.emit({ type: 'app', connected: true });
  };
  return {
    verify,
    connected: () => verified,
    send: async (envelope) => {
      if (!verified) await verify();
      const response = await post(...toRequest(envelope));
      const text = await response.text();
      if (!response.ok) throw new NotAcknowledged('http_error');
      return readAck(text);
    },
  };
}

/** Slack's request signature, version 0: an HMAC-SHA256 over version, timestamp and body. */
function signatureHeaders(app: AppIdentity, timestamp: string, body: string): Record<string, string> {
  const digest = createHmac('sha256', app.signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

function toRequest({
  kind,
  payload,
  retry,
}: Envelope): [type: string, body: string, extra: Record<string, string>] {
  switch (kind) {
    case 'events_api': {
      const extra: Record<string, string> =
        retry === undefined
          ? {}
          : { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': `http_${retry.reason}` };
      return ['application/json', JSON.stringify(payload), extra];
    }
    case 'interactive':
      return [FORM, new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), {}];
    case 'slash_commands': {
      const fields = Object.entries(payload).map(([name, value]) => [name, String(value)]);
      return [FORM, new URLSearchParams(fields).toString(), {}];
    }
  }
}

function readAck(text: string): Ack {
  if (text.trim() === '') return { body: null };
  return { body: parse(text) ?? { text } };
}

function parse(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
