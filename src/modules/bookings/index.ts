export { BookingsModule } from './bookings.module.js';
export { BookingListener } from './bookings/booking-listener.js';
export type { BookingItemSummary, BookingSummary } from './bookings/booking-summary.js';
export { BookingsService, type ComponentSale, type TripSale } from './bookings/bookings.service.js';
export { completePolicy, type PaymentPolicy, type PolicyStep } from './payment-policies/payment-policy.js';
export { PaymentPolicyBody, PaymentPolicyResponse } from './payment-policies/payment-policy.dto.js';
export { bookingEvents } from './events.js';
