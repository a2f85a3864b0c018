export { ActionLedgerModule } from './action-ledger.module.js';
export { ActionLedger, type Change } from './action-ledger.service.js';
