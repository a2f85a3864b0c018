export { ActionLedgerModule } from './action-ledger.module.js';
export { ActionLedger, type Change } from './entries/action-ledger.service.js';
export {
  assertUnchangedSince,
  CompletesReversal,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from './entries/reversal-handlers.js';
export { ledgerEvents } from './events.js';
export { CheckpointFile } from './checkpoints/checkpoint-file.js';
export { LedgerCheckpoints } from './checkpoints/ledger-checkpoints.service.js';
export { PayloadErasuresService } from './erasures/payload-erasures.service.js';
export { CheckpointVerifier } from './verification/checkpoint-verifier.js';
export { LedgerVerifier } from './verification/ledger-verifier.js';
