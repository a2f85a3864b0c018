export { FinanceModule } from './finance.module.js';
export { financeEvents } from './events.js';
export { NumberSeriesService } from './books/index.js';
