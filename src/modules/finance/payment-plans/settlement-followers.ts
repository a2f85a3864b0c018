import { Injectable } from '@nestjs/common';
import { CommissionsService } from '../commissions/commissions.service.js';
import { MoneyReminders } from '../reminders/money-reminders.service.js';

/** What depends on the installments of a booking and their money: which commissions are payable, and reminders. */
@Injectable()
export class SettlementFollowers {
  constructor(
    private readonly commissions: CommissionsService,
    private readonly reminders: MoneyReminders,
  ) {}

  /** In the transaction of the change and with the booking locked. */
  async settled(bookingId: string): Promise<void> {
    await this.commissions.settle(bookingId);
    await this.reminders.installmentsChanged(bookingId);
  }
}
