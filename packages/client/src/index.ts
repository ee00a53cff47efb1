export { GateUnavailableError, PermissionError } from './errors.ts';
export { Gate, type GateOptions, type Tracked } from './gate.ts';
export {
  digestArguments,
  type FindReceiptKey,
  fetchReceiptKeys,
  RECEIPT_META,
  type Receipt,
  type ReceiptApproval,
  ReceiptError,
  type ReceiptKeySet,
  ReceiptMemory,
  type ReceiptProblem,
  type UsedReceipts,
  type VerifyReceiptOptions,
  verifyReceipt,
} from './receipt.ts';
export type { ToolSet } from './tools.ts';
export type { Approval, CallContext, TrackedCall } from './types.ts';
