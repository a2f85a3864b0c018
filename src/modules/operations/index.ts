export type { DepartureFacts } from './departures/departure-facts.js';
export { type DepartureFollower, DepartureFollowers } from './departures/departure-followers.js';
export { Departures, type Units } from './departures/departures.service.js';
export { OperationsModule } from './operations.module.js';
export { operationsEvents } from './events.js';
