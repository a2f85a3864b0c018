import { NumberSeriesDemo } from './demo.js';
import { NumberCounters } from './number-counters.service.js';
import { NumberGiving } from './number-giving.service.js';
import { NumberSeriesController } from './number-series.controller.js';
import { NumberSeriesJournal } from './number-series-journal.js';
import { NumberSeriesReader } from './number-series-reader.service.js';
import { NumberSeriesUndos } from './number-series-undos.service.js';
import { NumberSeriesRegister } from './number-series.service.js';

/** What the finance module is given of this folder. */
export const numberSeriesControllers = [NumberSeriesController];
export const numberSeriesProviders = [
  NumberSeriesRegister,
  NumberSeriesReader,
  NumberSeriesJournal,
  NumberSeriesUndos,
  NumberCounters,
  NumberGiving,
  NumberSeriesDemo,
];
