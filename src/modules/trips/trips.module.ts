import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { OperationsModule } from '../operations/index.js';
import { ExternalProvidersService } from './providers/external-providers.service.js';
import { InternalProvider } from './providers/internal-provider.js';
import { SimulatedProvider } from './providers/simulated-provider.js';
import { TripsDemo } from './trips.demo.js';
import { ComponentsController } from './trips/components.controller.js';
import { ReservationSaga } from './trips/reservation-saga.js';
import { ReservationsController } from './trips/reservations.controller.js';
import { ReservationsService } from './trips/reservations.service.js';
import { TripComponentsService } from './trips/trip-components.service.js';
import { TripsController } from './trips/trips.controller.js';
import { TripRetentionJobs } from './trips/trip-retention.jobs.js';
import { TripJobs } from './trips/trips.jobs.js';
import { TripsRepository } from './trips/trips.repository.js';
import { TripsService } from './trips/trips.service.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, OperationsModule],
  controllers: [TripsController, ComponentsController, ReservationsController],
  providers: [
    ExternalProvidersService,
    InternalProvider,
    ReservationSaga,
    ReservationsService,
    SimulatedProvider,
    TripComponentsService,
    TripJobs,
    TripRetentionJobs,
    TripsDemo,
    TripsRepository,
    TripsService,
  ],
})
export class TripsModule {}
