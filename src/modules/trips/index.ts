export { ReservationsService } from './reservations/reservations.service.js';
export { TripsModule } from './trips.module.js';
export { tripSubject } from './envelopes/trip-subject.js';
export { tripEvents } from './events.js';
