import { Injectable } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';
import { BookingsService } from '../../bookings/index.js';
import { ManualMessagesService, SendMessage, writtenOf } from '../../notifications/index.js';
import { type BulkList, type BulkType, listOfBookings } from './bulk-type.js';

/** The text or the template of the messages. Each goes to the address of its booking. */
class MessageBookings extends PickType(SendMessage, ['category', 'templateId', 'subject', 'text'] as const) {}

/** Sends a message about each booking. These messages do not count for the limits of messages that a user sends one by one. */
@Injectable()
export class MessageBookingsType implements BulkType<MessageBookings> {
  readonly scopes = ['notifications:write', 'bookings:read'];
  readonly params = MessageBookings;
  private readonly list;

  constructor(
    bookings: BookingsService,
    private readonly messages: ManualMessagesService,
  ) {
    this.list = listOfBookings(bookings);
  }

  listFor(): BulkList {
    return this.list;
  }

  check(params: MessageBookings): void {
    writtenOf(params, 'params.');
  }

  async run(bookingId: string, params: MessageBookings): Promise<void> {
    await this.messages.send({ ...params, bookingId }, { isBulk: true });
  }
}
