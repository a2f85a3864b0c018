export { ActionLedgerModule } from './action-ledger.module.js';
export { ActionLedger } from './action-ledger.service.js';
export { LedgerVerification } from './ledger-verification.service.js';
