import type { ReadKind } from '../policy/session-condition.ts';
import { RISK_EXPLAINED, TOOL_DISABLED } from '../texts/risk.ts';
import type { ToolRisk } from './permissions.ts';
import { findRisk } from './rules.ts';
import type { SessionFlags } from './session.ts';

/**
 * What the rules about risk add to the policy's verdict on a call of this tool, in lines of plain text; none where they add
 * nothing, whatever the session did.
 *
 * @param hasRead what its session has read; null where that isn't said.
 */
export function explainRisk(tool: ToolRisk, hasRead: ReadonlySet<ReadKind> | null): readonly string[] {
  if (!tool.isEnabled) return [RISK_EXPLAINED.refused, TOOL_DISABLED];
  if (!tool.writes && !tool.readsPrivate && !tool.readsUntrusted) return [];
  if (hasRead === null) return [RISK_EXPLAINED.unsaid];
  const source = (kind: ReadKind) => (hasRead.has(kind) ? { callKey: '', tool: '', at: 0 } : null);
  // Its level, and whether the session wrote before, aren't said; a read may complete the three only after a write.
  const session: SessionFlags = {
    private: source('private'),
    untrusted: source('untrusted'),
    write: null,
    highest: null,
  };
  const isAsked = findRisk(session, tool) !== null;
  return [
    isAsked ? RISK_EXPLAINED.asked : RISK_EXPLAINED.notAsked,
    ...(tool.writes && hasRead.has('private') ? [RISK_EXPLAINED.level] : []),
  ];
}
