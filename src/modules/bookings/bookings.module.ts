import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { CustomersModule } from '../customers/index.js';
import { DistributionModule } from '../distribution/index.js';
import { LegalModule } from '../legal/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { ProductsModule } from '../products/index.js';
import { TaxesModule } from '../taxes/index.js';
import { BookingsDemo } from './bookings.demo.js';
import { AgencyTermsController } from './agencies/agency-terms.controller.js';
import { AgencyTermsService } from './agencies/agency-terms.service.js';
import { AnswersController } from './answers/answers.controller.js';
import { AnsweredQuestionListener } from './answers/answered-question-listener.js';
import { AnswersRepository } from './answers/answers.repository.js';
import { AnswersService } from './answers/answers.service.js';
import { AnswerCustomerListener, AnswerRetentionJobs } from './answers/answer-retention.jobs.js';
import { BookingCopiesController } from './item-sales/booking-copies.controller.js';
import { BookingCopiesService } from './item-sales/booking-copies.service.js';
import { BookingData } from './personal-data/booking-data.js';
import { BookingCustomerListener } from './bookings/booking-customer-listener.js';
import { BookingItemsController } from './item-sales/booking-items.controller.js';
import { BookingItemsService } from './bookings/booking-items.service.js';
import { BookingMailFacts } from './bookings/booking-mail-facts.js';
import { BookingReminderSource } from './bookings/booking-reminder-source.js';
import { BookingsController } from './bookings/bookings.controller.js';
import { BookingRetentionJobs } from './bookings/booking-retention.jobs.js';
import { BookingJobs } from './bookings/bookings.jobs.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { BookingsService } from './bookings/bookings.service.js';
import { DepartureMovesService } from './bookings/departure-moves.service.js';
import { TripSalesService } from './trip-sales/trip-sales.service.js';
import { TaxRateJobs } from './bookings/tax-rates.jobs.js';
import { ItemTaxesService } from './bookings/item-taxes.service.js';
import { CancellationTermsService } from './bookings/cancellation-terms.service.js';
import { CancellationForecastsService } from './bookings/cancellation-forecasts.service.js';
import { ItemTravelersController } from './travelers/item-travelers.controller.js';
import { SeatListener, TravelerCustomerListener } from './travelers/traveler-listeners.js';
import { TravelerRetentionJobs } from './travelers/traveler-retention.jobs.js';
import { TravelersController } from './travelers/travelers.controller.js';
import { TravelersRepository } from './travelers/travelers.repository.js';
import { ResellerSalesService } from './reseller-sales/reseller-sales.service.js';
import { TravelersService } from './travelers/travelers.service.js';
import { DepartureBookingsService } from './item-sales/departure-bookings.service.js';
import { SoldPriceListener } from './item-sales/sold-price-listener.js';
import { UnitSalesService } from './item-sales/unit-sales.service.js';
import { PartnerBookingsController } from './partners/partner-bookings.controller.js';
import { PartnerBookingsService } from './partners/partner-bookings.service.js';
import { RedemptionsController } from './vouchers/redemptions.controller.js';
import { VoucherDocumentsController } from './vouchers/voucher-documents.controller.js';
import { VoucherDocumentsService } from './vouchers/voucher-documents.service.js';
import { VoucherListener } from './vouchers/voucher-listener.js';
import { VouchersController } from './vouchers/vouchers.controller.js';
import { VouchersRepository } from './vouchers/vouchers.repository.js';
import { VouchersService } from './vouchers/vouchers.service.js';
import './bookings-tables.js';

@Module({
  imports: [
    ActionLedgerModule,
    CustomersModule,
    DistributionModule,
    LegalModule,
    NotificationsModule,
    OrganizationModule,
    OperationsModule,
    ProductsModule,
    TaxesModule,
  ],
  controllers: [
    AgencyTermsController,
    AnswersController,
    BookingCopiesController,
    BookingsController,
    BookingItemsController,
    ItemTravelersController,
    PartnerBookingsController,
    RedemptionsController,
    TravelersController,
    VoucherDocumentsController,
    VouchersController,
  ],
  providers: [
    AgencyTermsService,
    AnswerCustomerListener,
    AnswerRetentionJobs,
    AnsweredQuestionListener,
    AnswersRepository,
    AnswersService,
    BookingCopiesService,
    BookingCustomerListener,
    BookingData,
    BookingItemsService,
    BookingMailFacts,
    BookingJobs,
    BookingReminderSource,
    BookingRetentionJobs,
    BookingsDemo,
    BookingsRepository,
    BookingsService,
    DepartureBookingsService,
    DepartureMovesService,
    ItemTaxesService,
    CancellationForecastsService,
    CancellationTermsService,
    PartnerBookingsService,
    SeatListener,
    SoldPriceListener,
    TaxRateJobs,
    TravelerCustomerListener,
    TravelerRetentionJobs,
    TravelersRepository,
    ResellerSalesService,
    TravelersService,
    TripSalesService,
    UnitSalesService,
    VoucherDocumentsService,
    VoucherListener,
    VouchersRepository,
    VouchersService,
  ],
  exports: [
    AgencyTermsService,
    BookingItemsService,
    BookingsService,
    DepartureBookingsService,
    CancellationForecastsService,
    PartnerBookingsService,
    ResellerSalesService,
    TravelersService,
    TripSalesService,
    UnitSalesService,
    VoucherDocumentsService,
    VouchersService,
  ],
})
export class BookingsModule {}
