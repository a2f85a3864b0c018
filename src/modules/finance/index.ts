export { FinanceModule } from './finance.module.js';
export { financeEvents } from './events.js';
