export type { DepartureSummary } from './departures/departure-summary.js';
export { DepartureListener } from './departures/departure-listener.js';
export type { Units } from './departures/departures.repository.js';
export { DeparturesService } from './departures/departures.service.js';
export { OperationsModule } from './operations.module.js';
export { operationsEvents } from './events.js';
