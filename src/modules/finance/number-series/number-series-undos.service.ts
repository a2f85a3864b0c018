import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedAction, Reversals } from '../../action-ledger/index.js';
import { NumberSeriesRegister } from './number-series.service.js';

/** A series that was made by mistake gives no numbers, as long as it has given none. */
@Injectable()
export class NumberSeriesUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly register: NumberSeriesRegister,
  ) {}

  onModuleInit(): void {
    this.reversals.register('finance.invoice_number_series.create', {
      reverse: ({ subjectId, after }) => this.register.undoCreation(subjectId, displacedIn(after)),
    });
  }
}

/** Entries of an earlier release do not name it. */
function displacedIn(after: RecordedAction['after']): string | null {
  const id = after?.['displacedDefaultId'];
  return typeof id === 'string' ? id : null;
}
