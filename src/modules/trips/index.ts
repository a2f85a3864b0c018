export { TripsModule } from './trips.module.js';
export { tripEvents } from './events.js';
