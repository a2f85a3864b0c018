export { FinanceModule } from './finance.module.js';
