import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ProductsModule } from '../products/index.js';
import { TaxesModule } from '../taxes/index.js';
import { CalendarController } from './calendar/calendar.controller.js';
import { CalendarService } from './calendar/calendar.service.js';
import { DepartureMinimumsService } from './departures/departure-minimums.service.js';
import { DepartureProductListener } from './departures/departure-product-listener.js';
import { DeparturesController } from './departures/departures.controller.js';
import { DeparturesRepository } from './departures/departures.repository.js';
import { DeparturesService } from './departures/departures.service.js';
import { FacilitiesController } from './facilities/facilities.controller.js';
import { FacilitiesService } from './facilities/facilities.service.js';
import { OperationsDemo } from './operations.demo.js';
import { GroundOperatorsController } from './operators/ground-operators.controller.js';
import { GroundOperatorsService } from './operators/ground-operators.service.js';
import { QuotesController } from './quotes/quotes.controller.js';
import { QuotesService } from './quotes/quotes.service.js';
import { ResourceAssignmentsController } from './resources/resource-assignments.controller.js';
import { ResourceAssignmentsService } from './resources/resource-assignments.service.js';
import { ResourceDepartureListener } from './resources/resource-departure-listener.js';
import { ResourcesController } from './resources/resources.controller.js';
import { ResourcesRepository } from './resources/resources.repository.js';
import { ResourcesService } from './resources/resources.service.js';
import { DepartureSchedulesController } from './schedules/departure-schedules.controller.js';
import { DepartureSchedulesJobs } from './schedules/departure-schedules.jobs.js';
import { DepartureSchedulesService } from './schedules/departure-schedules.service.js';
import './operations-tables.js';

@Module({
  imports: [ActionLedgerModule, ProductsModule, TaxesModule],
  controllers: [
    CalendarController,
    DepartureSchedulesController,
    DeparturesController,
    FacilitiesController,
    GroundOperatorsController,
    QuotesController,
    ResourceAssignmentsController,
    ResourcesController,
  ],
  providers: [
    CalendarService,
    DepartureMinimumsService,
    DepartureProductListener,
    DepartureSchedulesJobs,
    DepartureSchedulesService,
    DeparturesRepository,
    DeparturesService,
    FacilitiesService,
    GroundOperatorsService,
    OperationsDemo,
    QuotesService,
    ResourceAssignmentsService,
    ResourceDepartureListener,
    ResourcesRepository,
    ResourcesService,
  ],
  exports: [DeparturesService, FacilitiesService, QuotesService, ResourceAssignmentsService, ResourcesService],
})
export class OperationsModule {}
