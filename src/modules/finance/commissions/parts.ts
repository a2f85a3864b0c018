import { CommissionCalendar } from './commission-calendar.service.js';
import { CommissionFollowers } from './commission-followers.service.js';
import { CommissionJournal } from './commission-journal.js';
import { CommissionMoves } from './commission-moves.service.js';
import { CommissionPlace } from './commission-place.service.js';
import { CommissionReader } from './commission-reader.service.js';
import { CommissionRows } from './commission-rows.service.js';
import { CommissionSettlement } from './commission-settlement.service.js';
import { CommissionsController } from './commissions.controller.js';
import { Commissions } from './commissions.service.js';
import { CommissionDemo } from './demo.js';

/** What the finance module is given of this folder. */
export const commissionControllers = [CommissionsController];
export const commissionProviders = [
  CommissionCalendar,
  CommissionDemo,
  CommissionFollowers,
  CommissionJournal,
  CommissionMoves,
  CommissionPlace,
  CommissionReader,
  CommissionRows,
  CommissionSettlement,
  Commissions,
];
