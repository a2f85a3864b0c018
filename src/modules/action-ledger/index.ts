export { ActionLedgerModule } from './action-ledger.module.js';
export { ActionLedger, type Change } from './action-ledger.service.js';
export { LedgerVerification } from './ledger-verification.service.js';
export {
  assertUnchangedSince,
  CompletesReversal,
  type RecordedAction,
  Reversals,
  Reverses,
  type Undone,
} from './reversals/reversals.js';
export { ledgerEvents } from './events.js';
