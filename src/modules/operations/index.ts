export type { DepartureSummary } from './departures/departure-summary.js';
export { CreateDeparture, ListDepartures } from './departures/departure.dto.js';
export { CancelDeparture } from './departures/departure-decision.dto.js';
export { departureTax } from './departures/departure-tax.js';
export {
  type DepartureFollowers,
  DepartureListener,
  type DepartureMove,
  type DepartureWarning,
  SHORTAGE_RULES,
  type ShortageRule,
} from './departures/departure-listener.js';
export { departureSubject } from './departures/departure-subject.js';
export { FacilitiesService, type PlacedFacility } from './facilities/facilities.service.js';
export { SlotWarning } from './departures/departure-followers.dto.js';
export type { Units } from './departures/departures.repository.js';
export { DeparturesService } from './departures/departures.service.js';
export {
  CALL_OFF_REASONS,
  type CallOffReason,
  poolOf,
  RUN_STATES,
  type RunState,
  SALES_OVERRIDES,
  SALES_STATES,
  type SalesState,
  salesStateOf,
  type SalesTerms,
} from './departures/sales-state.js';
export { MAX_RESOURCE_WARNINGS, ResourceWarning } from './departures/resource-warning.dto.js';
export { isUnderstaffed, RESOURCE_WARNINGS, resourceWarningsOf } from './departures/resource-warnings.js';
export type { CreateResource } from './resources/resource.dto.js';
export { ResourceAssignmentsService } from './resources/resource-assignments.service.js';
export { type QuotedUnits, QuotesService } from './quotes/quotes.service.js';
export { resourceSubject } from './resources/resource-subject.js';
export { ResourcesService } from './resources/resources.service.js';
export { OperationsModule } from './operations.module.js';
export { operationsEvents } from './events.js';
