export { ReservationsService } from './reservations/reservations.service.js';
export { TripsModule } from './trips.module.js';
export { tripEvents } from './events.js';
