import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { put, type Stored, unchanged } from '../../storage/store.ts';
import type { LaterSteps, RequestRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { requests } from '../store/collections.ts';
import { commitChange, getCalls } from '../store/commit.ts';

/** The request of a plan whose later steps have become calls, as it is on record and as it becomes. */
interface Continued {
  readonly stored: Stored<RequestRecord>;
  readonly request: RequestRecord;
}

/** Notes on earlier plans of a run which calls their later steps became. */
export async function continuePlans(
  ports: GatePorts,
  threadId: string,
  plans: readonly LaterSteps[],
): Promise<readonly Continued[]> {
  const found = await Promise.all(
    plans.map(async ({ of, became }) => {
      const [call] = (await getCalls(ports, threadId, of)).flatMap((one) => one?.value.requestId ?? []);
      const stored = call === undefined ? null : await ports.store.get(requests, call);
      return stored ? [{ stored, request: withLater(stored.value, became) }] : [];
    }),
  );
  return found.flat();
}

/** The requests whose later steps this call is. */
export function requestsCarriedOut(continued: readonly Continued[], callId: string): string[] {
  return continued.flatMap(({ request: { requestId, plan } }) =>
    plan?.later.some((step) => step.callId === callId) ? [requestId] : [],
  );
}

/** Notes that a run has ended without some of the later steps of its plans. Once more changes nothing. */
export async function endPlans(
  ports: GatePorts,
  threadId: string,
  plans: readonly LaterSteps[],
  fence: Fence,
): Promise<void> {
  for (const { stored, request } of await continuePlans(ports, threadId, plans)) {
    const { plan } = request;
    if (!plan?.later.some(({ callId }) => callId === undefined)) continue;
    const later = plan.later.map((step) => ({ ...step, callId: step.callId ?? null }));
    const ended = { ...request, plan: { ...plan, later } };
    const isCommitted = await commitChange(ports, {
      expect: [unchanged(requests, stored), fence.expectation],
      put: [put(requests, request.requestId, ended)],
      event: { type: 'replanned', request: ended },
      notes: [],
    });
    if (!isCommitted) await assertFenced(ports, fence);
  }
}

function withLater(request: RequestRecord, became: LaterSteps['became']): RequestRecord {
  const { plan } = request;
  if (plan === undefined) return request;
  const later = plan.later.map((step, index) => {
    const callId = became[index] ?? step.callId;
    return callId === undefined ? step : { ...step, callId };
  });
  return { ...request, plan: { ...plan, later } };
}
