import { AgingReport } from './aging.service.js';
import { IntegrityReport } from './integrity.service.js';
import { FinanceReportsController } from './reports.controller.js';

/** What the finance module is given of this folder. */
export const reportControllers = [FinanceReportsController];
export const reportProviders = [AgingReport, IntegrityReport];
