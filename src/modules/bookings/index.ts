export { BookingsModule } from './bookings.module.js';
export type { BookingSummary } from './bookings/booking-facts.js';
export { BookingListener } from './bookings/booking-listener.js';
export { BookingsService } from './bookings/bookings.service.js';
export { type ComponentSale, type TripSale, TripSales } from './bookings/trip-sales.service.js';
export type { BookingItemSummary } from './items/item-facts.js';
export { completePolicy, type PaymentPolicy, type PolicyStep } from './payment-policies/payment-policy.js';
export { PaymentPolicyBody, PaymentPolicyResponse } from './payment-policies/payment-policy.dto.js';
export { bookingEvents } from './events.js';
