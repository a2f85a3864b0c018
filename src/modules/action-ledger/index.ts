export { ActionLedgerModule } from './action-ledger.module.js';
export { ActionLedger, type Change } from './action-ledger.service.js';
export { LedgerVerification, type Verification } from './ledger-verification.service.js';
