export type { DepartureFacts } from './departures/departure-facts.js';
export { DepartureListener } from './departures/departure-listener.js';
export { Departures, type Units } from './departures/departures.service.js';
export { OperationsModule } from './operations.module.js';
export { operationsEvents } from './events.js';
