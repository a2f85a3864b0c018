import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { CustomerListener, type MovedRecord } from '../../customers/index.js';
import { AttachmentsRepository } from './attachments.repository.js';

/** The files of a customer follow it into the customer that replaces it. */
@Injectable()
@Listens(CustomerListener, 35)
export class MergedAttachmentsListener implements CustomerListener {
  constructor(private readonly repository: AttachmentsRepository) {}

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.repository.move(customerId, duplicateIds);
    return moved.map(({ id, formerId }) => ({ type: 'attachment', id, customerId: formerId }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    const moved = records.filter(({ type }) => type === 'attachment');
    await this.repository.moveBack(
      customerId,
      moved.map(({ id, customerId: formerId }) => ({ id, formerId })),
    );
  }
}
