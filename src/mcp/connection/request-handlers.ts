import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import { samplingRefused } from '../protocol/sampling.ts';
import { findAskingCall } from './call-correlation.ts';
import type { Connection } from './types.ts';

/** Answers what a server of an older revision asks: questions through the call that asks, its roots at once. */
export function answerServerRequests(connection: Connection): void {
  const { client, roots } = connection;
  client.setRequestHandler('elicitation/create', (request, context) =>
    elicitFromCall(connection, request.params, context.mcpReq.signal),
  );
  if (roots !== null) client.setRequestHandler('roots/list', () => ({ roots: [...roots] }));
  if (connection.offersSampling) {
    client.setRequestHandler('sampling/createMessage', (request, context) =>
      sampleForCall(connection, request.params, context.mcpReq.signal),
    );
  }
}

async function elicitFromCall(
  connection: Connection,
  params: ElicitRequestParams,
  gone: AbortSignal,
): Promise<ElicitResult> {
  const call = findAskingCall(connection);
  if (call === null) return { action: 'decline' };
  return call.elicit(params, gone);
}

async function sampleForCall(
  connection: Connection,
  params: CreateMessageRequest['params'],
  gone: AbortSignal,
): Promise<CreateMessageResult> {
  const call = findAskingCall(connection);
  if (call === null) throw samplingRefused();
  return call.sample(params, gone);
}
