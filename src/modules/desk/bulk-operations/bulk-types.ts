import { Injectable } from '@nestjs/common';
import type { BulkOperation, BulkOperationType } from './bulk-operation.entity.js';
import type { BulkType } from './bulk-type.js';
import { CancelBookingsType } from './cancel-bookings.js';
import { CancelDeparturesType } from './cancel-departures.js';
import { CreateDocumentsType } from './create-documents.js';
import { IssueInvoicesType } from './issue-invoices.js';
import { MessageBookingsType } from './message-bookings.js';
import { MoveBookingsType } from './move-bookings.js';
import { TagCustomersType } from './tag-customers.js';
import { UpdateDeparturesType } from './update-departures.js';

/**
 * All types of bulk operations. A new one is a file beside this one, a name in `BULK_TYPES` and in the check of
 * the table, and a member here.
 */
@Injectable()
export class BulkTypes {
  private readonly types: Readonly<Record<BulkOperationType, BulkType>>;

  constructor(
    message: MessageBookingsType,
    cancelBookings: CancelBookingsType,
    move: MoveBookingsType,
    issue: IssueInvoicesType,
    update: UpdateDeparturesType,
    cancelDepartures: CancelDeparturesType,
    tag: TagCustomersType,
    documents: CreateDocumentsType,
  ) {
    this.types = {
      'bookings.message': message,
      'bookings.cancel': cancelBookings,
      'bookings.move': move,
      'invoices.issue': issue,
      'departures.update': update,
      'departures.cancel': cancelDepartures,
      'customers.tag': tag,
      'documents.create': documents,
    };
  }

  get(name: BulkOperationType): BulkType {
    return this.types[name];
  }

  /** What is needed to start, control and perform an operation. Its parameters were validated when it was created. */
  scopesOf({ type: name, params }: Pick<BulkOperation, 'type' | 'params'>): string[] {
    const type = this.get(name);
    return [...type.scopes, ...(type.scopesFor?.(params) ?? [])];
  }
}
