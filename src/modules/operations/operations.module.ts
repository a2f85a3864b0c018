import { Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Clock } from '../../platform/clock/clock.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { loadDemoDepartures } from './demo-departures.js';
import { loadDemoPlaces } from './demo-places.js';
import { DepartureJournal } from './departures/departure-journal.js';
import { DeparturePlans } from './departures/departure-plans.service.js';
import { DepartureReader } from './departures/departure-reader.service.js';
import { DepartureRows } from './departures/departure-rows.service.js';
import { DeparturesController } from './departures/departures.controller.js';
import { DeparturesService } from './departures/departures.service.js';
import { FacilitiesController } from './facilities/facilities.controller.js';
import { Facilities } from './facilities/facilities.service.js';
import { FacilityChoice } from './facilities/facility-choice.service.js';
import { FacilityJournal } from './facilities/facility-journal.js';
import { FacilityUndos } from './facilities/facility-undos.service.js';
import { GroundOperatorJournal } from './operators/ground-operator-journal.js';
import { GroundOperatorsController } from './operators/ground-operators.controller.js';
import { GroundOperators } from './operators/ground-operators.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [DeparturesController, FacilitiesController, GroundOperatorsController],
  providers: [
    DepartureJournal,
    DeparturePlans,
    DepartureReader,
    DepartureRows,
    DeparturesService,
    Facilities,
    FacilityChoice,
    FacilityJournal,
    FacilityUndos,
    GroundOperatorJournal,
    GroundOperators,
  ],
  exports: [DeparturesService],
})
export class OperationsModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly modules: ModuleRef,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const [facilities, operators] = [this.modules.get(Facilities), this.modules.get(GroundOperators)];
    const plans = this.modules.get(DeparturePlans);
    this.provisioning.demo(140, 'facilities and ground operators', () => loadDemoPlaces(facilities, operators));
    this.provisioning.demo(150, 'departures', () => loadDemoDepartures(plans, this.clock.now()));
  }
}
