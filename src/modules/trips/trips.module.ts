import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { CustomersModule } from '../customers/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { TaxesModule } from '../taxes/index.js';
import { ExternalProvidersService } from './providers/external-providers.service.js';
import { InternalProvider } from './providers/internal-provider.js';
import { SimulatedProvider } from './providers/simulated-provider.js';
import { TripsDemo } from './trips.demo.js';
import { LateQuotesService } from './providers/late-quotes.service.js';
import { ExternalOrdersService } from './orders/external-orders.service.js';
import { TripAttentionsService } from './attempts/trip-attentions.service.js';
import { TripBookingListener } from './reservations/trip-booking-listener.js';
import { TripCustomerListener } from './reservations/trip-customer-listener.js';
import { ComponentsController } from './envelopes/components.controller.js';
import { OrderDecisionsController } from './orders/order-decisions.controller.js';
import { OrderDecisionsService } from './orders/order-decisions.service.js';
import { ReservationAttempts } from './attempts/reservation-attempts.service.js';
import { ReservationSaga } from './attempts/reservation-saga.js';
import { ReservationsController } from './reservations/reservations.controller.js';
import { ReservationsService } from './reservations/reservations.service.js';
import { TripComponentsService } from './envelopes/trip-components.service.js';
import { TripsController } from './envelopes/trips.controller.js';
import { TripData } from './envelopes/trip-data.js';
import { TripRetentionJobs } from './envelopes/trip-retention.jobs.js';
import { TripJobs } from './reservations/trips.jobs.js';
import { TripsRepository } from './envelopes/trips.repository.js';
import { TripsService } from './envelopes/trips.service.js';
import './trips-tables.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, CustomersModule, OperationsModule, OrganizationModule, TaxesModule],
  controllers: [TripsController, ComponentsController, ReservationsController, OrderDecisionsController],
  providers: [
    ExternalOrdersService,
    ExternalProvidersService,
    InternalProvider,
    LateQuotesService,
    OrderDecisionsService,
    ReservationAttempts,
    ReservationSaga,
    ReservationsService,
    SimulatedProvider,
    TripAttentionsService,
    TripBookingListener,
    TripComponentsService,
    TripCustomerListener,
    TripJobs,
    TripData,
    TripRetentionJobs,
    TripsDemo,
    TripsRepository,
    TripsService,
  ],
  exports: [ReservationsService],
})
export class TripsModule {}
