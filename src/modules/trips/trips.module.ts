import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { TaxesModule } from '../taxes/index.js';
import { ExternalProvidersService } from './providers/external-providers.service.js';
import { InternalProvider } from './providers/internal-provider.js';
import { SimulatedProvider } from './providers/simulated-provider.js';
import { TripsDemo } from './trips.demo.js';
import { LateQuotesService } from './providers/late-quotes.service.js';
import { ExternalOrdersService } from './trips/external-orders.service.js';
import { TripAttentionsService } from './trips/trip-attentions.service.js';
import { TripBookingListener } from './trips/trip-booking-listener.js';
import { ComponentsController } from './trips/components.controller.js';
import { OrderDecisionsController } from './trips/order-decisions.controller.js';
import { OrderDecisionsService } from './trips/order-decisions.service.js';
import { ReservationAttempts } from './trips/reservation-attempts.service.js';
import { ReservationSaga } from './trips/reservation-saga.js';
import { ReservationsController } from './trips/reservations.controller.js';
import { ReservationsService } from './trips/reservations.service.js';
import { TripComponentsService } from './trips/trip-components.service.js';
import { TripsController } from './trips/trips.controller.js';
import { TripData } from './trips/trip-data.js';
import { TripRetentionJobs } from './trips/trip-retention.jobs.js';
import { TripJobs } from './trips/trips.jobs.js';
import { TripsRepository } from './trips/trips.repository.js';
import { TripsService } from './trips/trips.service.js';
import './trips-tables.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, OperationsModule, OrganizationModule, TaxesModule],
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
