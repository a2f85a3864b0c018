import { Injectable } from '@nestjs/common';
import { Listens } from '../../platform/discovery/listeners.js';
import { CustomerListener, type MovedRecord } from '../customers/index.js';
import { NotesService } from './notes/notes.service.js';

/** Notes on a customer follow it into the customer that replaces it. */
@Injectable()
@Listens(CustomerListener, 30)
export class MergedRecordsListener implements CustomerListener {
  constructor(private readonly notes: NotesService) {}

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.notes.move({ subjectType: 'customer', subjectId: customerId }, duplicateIds);
    return moved.map(({ id, formerId }) => ({ type: 'note', id, customerId: formerId }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    const notes = records.filter(({ type }) => type === 'note');
    await this.notes.moveBack(
      { subjectType: 'customer', subjectId: customerId },
      notes.map(({ id, customerId: formerId }) => ({ id, formerId })),
    );
  }
}
