export { ReservationsService } from './trips/reservations.service.js';
export { TripsModule } from './trips.module.js';
export { tripEvents } from './events.js';
