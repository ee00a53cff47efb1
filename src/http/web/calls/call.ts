import { html } from 'hono/html';
import type { Gate } from '../../../gate/index.ts';
import { type CallRecord, recordKey } from '../../../gate/types.ts';
import type { DecisionSheet } from '../../../presentation/decision-sheet.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Whereabouts } from '../../../programs/ports.ts';
import type { Store } from '../../../storage/store.ts';
import type { HttpContext } from '../../context.ts';
import { toCallAnswer } from '../../records/to-record.ts';
import { sheetCard } from '../pages/decide.ts';
import { instant } from '../pages/instant.ts';
import { file, type Html, type HtmlPart } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { decisionItems, nameSession, sessionLink, stateWords } from './parts.ts';
import { planPart } from './plan.ts';
import { CALL } from './texts.ts';
import { maySee, type ShowPage, type Viewer } from './viewer.ts';

interface CallPorts {
  readonly gate: { readonly calls: Pick<Gate['calls'], 'get' | 'waitsFor'> };
  readonly whereabouts: Whereabouts;
  readonly store: Store;
}

/** `GET /dashboard/calls/{key}`: a call as on its card, and what became of it. */
export function callPage(
  show: ShowPage,
  { gate, whereabouts, store }: CallPorts,
  web: Pick<WebPorts, 'publicUrl' | 'sheet' | 'plan' | 'samePerson' | 'place'>,
): void {
  show({
    path: `${CALLS_PATH}/:key`,
    current: 'calls',
    async read(c, viewer) {
      const call = await find(c, viewer);
      if (!call) return null;
      const key = recordKey(call);
      const [sheet, { url }] = await Promise.all([
        web.sheet(key, viewer.actor),
        whereabouts(call, viewer.actor),
      ]);
      if (!sheet) return null;
      const plan = await planPart({ gate, web }, viewer, sheet);
      const session = await nameSession({ store, place: web.place }, viewer, call);
      return {
        title: sheet.summary,
        body: html`${became(sheet, call, { url, session })}${sheetCard(sheet, 'h2')}${plan}`,
      };
    },
  });

  show({
    path: `${CALLS_PATH}/:key/receipt`,
    current: 'calls',
    async read(c, viewer) {
      const call = await find(c, viewer);
      const receipt = call && toCallAnswer(call).receipt;
      if (!call || receipt === null) return null;
      return file(receipt, { name: `receipt-${recordKey(call)}.jwt`, type: 'application/jwt' });
    },
  });

  async function find(c: HttpContext, viewer: Viewer): Promise<CallRecord | null> {
    const call = await gate.calls.get(c.req.param('key') ?? '');
    return call && (await maySee({ gate, samePerson: web.samePerson }, viewer, call)) ? call : null;
  }

  function became(
    { state }: DecisionSheet,
    call: CallRecord,
    { url, session }: { readonly url: string | null; readonly session: string },
  ): Html {
    const { started_at, ended_at, duration_ms, summary, receipt } = toCallAnswer(call);
    const decisions = decisionItems(call);
    const undecided = call.kind === 'question' ? CALL.notAnswered : CALL.nobody;
    const nobody = call.requestId === null ? CALL.noPerson : undecided;
    const at = (time: string | null) => (time === null ? null : instant(Date.parse(time)));
    const result = summary ?? (call.outcome === null ? null : CALL.ownResult);
    const link = url === null ? null : html`<a href="${url}">${CALL.inSlack}</a>`;
    return html`<section class="card"><h2>${CALL.became}</h2><p>${state === '' ? stateWords(call) : state}</p><dl class="arguments">
${fact(CALL.proposed, instant(call.proposedAt))}
${fact(CALL.decisions, decisions.length === 0 ? nobody : html`<ul>${decisions}</ul>`)}
${fact(CALL.started, at(started_at))}${fact(CALL.ended, at(ended_at))}
${fact(CALL.took, duration_ms === null ? null : CALL.seconds(duration_ms))}
${fact(CALL.result, result === null ? null : visible(result))}
${fact(CALL.session, html`${sessionLink(web, call, session)}${session.includes(call.threadId) || call.program ? null : small(call.threadId)}`)}
${fact(CALL.id, html`<code>${recordKey(call)}</code>`)}
${fact(CALL.receipt, receipt === null ? null : receiptPart(call))}</dl>
${link === null ? null : html`<p>${link}</p>`}</section>`;
  }

  function receiptPart(call: CallRecord): Html {
    const address = `${web.publicUrl()}${CALLS_PATH}/${recordKey(call)}/receipt`;
    return html`${CALL.receiptWhat} <a href="${address}" download>${CALL.downloadReceipt}</a>`;
  }
}

/** An id below its name, to be copied. */
function small(id: string): Html {
  return html`<br><small class="soft"><code>${visible(id)}</code></small>`;
}

function fact(label: string, value: HtmlPart): HtmlPart {
  return value === null ? null : html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}
