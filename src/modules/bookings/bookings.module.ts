import { Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { DistributionModule } from '../distribution/index.js';
import { LegalModule } from '../legal/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OperationsModule } from '../operations/index.js';
import { BookingCalendar } from './bookings/booking-calendar.service.js';
import { BookingChanges } from './bookings/booking-changes.service.js';
import { BookingConfirmation } from './bookings/booking-confirmation.service.js';
import { BookingJournal } from './bookings/booking-journal.js';
import { BookingNumbers } from './bookings/booking-numbers.service.js';
import { BookingReader } from './bookings/booking-reader.service.js';
import { BookingRows } from './bookings/booking-rows.service.js';
import { BookingTerms } from './bookings/booking-terms.service.js';
import { BookingsController } from './bookings/bookings.controller.js';
import { BookingsService } from './bookings/bookings.service.js';
import { NewBookings } from './bookings/new-bookings.service.js';
import { TripSales } from './bookings/trip-sales.service.js';
import { loadDemoBookings } from './demo.js';
import { BookingItemsController } from './items/booking-items.controller.js';
import { BookingItems } from './items/booking-items.service.js';
import { ItemUnits } from './items/item-units.service.js';
import { ItemRows } from './items/item-rows.service.js';
import { MovedDepartures } from './items/moved-departures.service.js';
import { BookingReminders } from './reminders/booking-reminders.service.js';
import { BookingTargets } from './reminders/booking-targets.service.js';
import { DepartureReminders } from './reminders/departure-reminders.service.js';

@Module({
  imports: [ActionLedgerModule, DistributionModule, LegalModule, NotificationsModule, OperationsModule],
  controllers: [BookingsController, BookingItemsController],
  providers: [
    BookingCalendar,
    BookingChanges,
    BookingConfirmation,
    BookingItems,
    BookingJournal,
    BookingNumbers,
    BookingReader,
    BookingReminders,
    BookingRows,
    BookingTerms,
    BookingsService,
    BookingTargets,
    DepartureReminders,
    ItemRows,
    ItemUnits,
    MovedDepartures,
    NewBookings,
    TripSales,
  ],
  exports: [BookingsService, TripSales],
})
export class BookingsModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const makers = {
      newBookings: this.modules.get(NewBookings),
      items: this.modules.get(BookingItems),
      changes: this.modules.get(BookingChanges),
      confirmation: this.modules.get(BookingConfirmation),
      calendar: this.modules.get(BookingCalendar),
    };
    this.provisioning.demo(450, 'bookings', () => loadDemoBookings(makers));
  }
}
