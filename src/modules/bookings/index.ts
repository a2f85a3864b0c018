export { CANCELLATION_INITIATORS, CANCELLATION_OUTCOMES, REFUND_TYPES } from '../legal/index.js';
export { BookingsModule } from './bookings.module.js';
export { AgencyTermsService } from './agencies/agency-terms.service.js';
export {
  type BilledAmounts,
  type BookingCancellation,
  BookingListener,
  type TotalChange,
  type VoucherAdmission,
} from './bookings/booking-listener.js';
export {
  BOOKING_STATUSES,
  type BookingItemSummary,
  type BookingStatus,
  type BookingSummary,
} from './bookings/booking-summary.js';
export { PartnerBookingsService } from './partners/partner-bookings.service.js';
export { bookingSubject } from './bookings/booking-subject.js';
export { LACKS_TRAVELERS } from './bookings/booking-list.sql.js';
export type { BilledTax } from './bookings/item-taxes.service.js';
export {
  BookingRow,
  CancelBooking,
  ConfirmBooking,
  CreateBooking,
  ListBookings,
  toBookingRow,
} from './bookings/booking.dto.js';
export { BookingItemsService } from './bookings/booking-items.service.js';
export { CreateBookingItem } from './items/booking-item.dto.js';
export { overridesOf } from './items/sales-override.js';
export { BookingsService } from './bookings/bookings.service.js';
export { type CancellationForecast, CancellationForecastsService } from './bookings/cancellation-forecasts.service.js';
export { DepartureBookingsService } from './item-sales/departure-bookings.service.js';
export { AddBookingItems } from './item-sales/unit-sale.dto.js';
export { type GivenUpUnits, type ResellerLine, ResellerSalesService } from './reseller-sales/reseller-sales.service.js';
export { travelerSubject } from './travelers/traveler-subject.js';
export { CreateTraveler } from './travelers/traveler.dto.js';
export { UNLISTED_TRAVELERS } from './travelers/unlisted-travelers.sql.js';
export { type ItemSeat, type SeatedPerson, TravelersService } from './travelers/travelers.service.js';
export { UnitSalesService } from './item-sales/unit-sales.service.js';
export { type ComponentSale, type SoldLine, type TripSale, TripSalesService } from './trip-sales/trip-sales.service.js';
export { completePolicy, type PaymentPolicy, type PolicyStep } from './payment-policies/payment-policy.js';
export { PaymentPolicyBody, PaymentPolicyResponse } from './payment-policies/payment-policy.dto.js';
export { TRAVELERS_OF_PERSON, travelerKeysOf } from './personal-data/booking-data.js';
export { VoucherDocumentsService } from './vouchers/voucher-documents.service.js';
export { VouchersService } from './vouchers/vouchers.service.js';
export { bookingEvents } from './events.js';
