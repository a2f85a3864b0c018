import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { CustomersModule } from '../customers/index.js';
import { DocumentsModule } from '../documents/index.js';
import { FinanceModule } from '../finance/index.js';
import { IdentityModule } from '../identity/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { ProductsModule } from '../products/index.js';
import { TripsModule } from '../trips/index.js';
import { BookingPagesController } from './booking-pages/booking-pages.controller.js';
import { BookingPagesService } from './booking-pages/booking-pages.service.js';
import { BulkOperationRunner } from './bulk-operations/bulk-operation-runner.js';
import { BulkOperationsController } from './bulk-operations/bulk-operations.controller.js';
import { BulkOperationsRepository } from './bulk-operations/bulk-operations.repository.js';
import { BulkOperationsService } from './bulk-operations/bulk-operations.service.js';
import { BulkTypes } from './bulk-operations/bulk-types.js';
import { CancelBookingsType } from './bulk-operations/cancel-bookings.js';
import { CancelDeparturesType } from './bulk-operations/cancel-departures.js';
import { CreateDocumentsType } from './bulk-operations/create-documents.js';
import { IssueInvoicesType } from './bulk-operations/issue-invoices.js';
import { MessageBookingsType } from './bulk-operations/message-bookings.js';
import { MoveBookingsType } from './bulk-operations/move-bookings.js';
import { TagCustomersType } from './bulk-operations/tag-customers.js';
import { UpdateDeparturesType } from './bulk-operations/update-departures.js';
import { CallOffRunner } from './call-offs/call-off-runner.js';
import { CallOffsController } from './call-offs/call-offs.controller.js';
import { CallOffsRepository } from './call-offs/call-offs.repository.js';
import { CallOffsService } from './call-offs/call-offs.service.js';
import { KeptBookingListener } from './call-offs/kept-booking-listener.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DashboardService } from './dashboard/dashboard.service.js';
import { DepartureBoardController } from './departures/board.controller.js';
import { BoardService } from './departures/board.service.js';
import { CancellationPreviewsController } from './cancellations/cancellation-previews.controller.js';
import { CheckInListener } from './manifests/check-in-listener.js';
import { CheckInRetentionJobs } from './manifests/check-in-retention.jobs.js';
import { DepartureDecisionListener } from './departure-decision-listener.js';
import { DeskData } from './desk-data.js';
import { DeskDemo } from './desk.demo.js';
import { RecordPrinter } from './documents/record-printer.js';
import { TravelsRepository } from './documents/travels.repository.js';
import { BookingImporter } from './imports/booking-importer.js';
import { CustomerImporter } from './imports/customer-importer.js';
import { ImportReferences } from './imports/import-references.js';
import { ImportRunner } from './imports/import-runner.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ImportsService } from './imports/imports.service.js';
import { ProductImporter } from './imports/product-importer.js';
import { ManifestsController } from './manifests/manifests.controller.js';
import { ManifestsService } from './manifests/manifests.service.js';
import { MergedRecordsListener } from './merged-records-listener.js';
import { NotesController } from './notes/notes.controller.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { RoomingController } from './rooming/rooming.controller.js';
import { RoomingListener } from './rooming/rooming-listener.js';
import { RoomingRepository } from './rooming/rooming.repository.js';
import { RoomingRetentionJobs } from './rooming/rooming-retention.jobs.js';
import { RoomingService } from './rooming/rooming.service.js';
import { RecordsController } from './search/search.controller.js';
import { RecordSearchService } from './search/search.service.js';
import { SeasonDaysDemo } from './season/season-days.demo.js';
import { SeasonSalesDemo } from './season/season-sales.demo.js';
import { SeasonToursDemo } from './season/season-tours.demo.js';
import { AttachmentRecords } from './subjects/attachment-records.js';
import { SubjectsRepository } from './subjects/subjects.repository.js';
import { SuppressedMailListener } from './suppressed-mail-listener.js';
import { TasksController } from './tasks/tasks.controller.js';
import { TasksRepository } from './tasks/tasks.repository.js';
import { TasksService } from './tasks/tasks.service.js';
import { TimelinesController } from './timelines/timelines.controller.js';
import { TimelinesService } from './timelines/timelines.service.js';
import { OfferPagesController } from './waiting-list/offer-pages.controller.js';
import { OfferPagesService } from './waiting-list/offer-pages.service.js';
import { WaitingEntriesController } from './waiting-list/waiting-entries.controller.js';
import { WaitingEntriesRepository } from './waiting-list/waiting-entries.repository.js';
import { WaitingEntriesService } from './waiting-list/waiting-entries.service.js';
import { WaitingListListener } from './waiting-list/waiting-list-listener.js';
import { WaitingOffersService } from './waiting-list/waiting-offers.service.js';
import './desk-tables.js';

/** What people at the desk need across the modules of the trade. No module uses it. */
@Module({
  imports: [
    ActionLedgerModule,
    BookingsModule,
    CustomersModule,
    DocumentsModule,
    FinanceModule,
    IdentityModule,
    NotificationsModule,
    OperationsModule,
    OrganizationModule,
    ProductsModule,
    TripsModule,
  ],
  controllers: [
    BookingPagesController,
    BulkOperationsController,
    CallOffsController,
    CancellationPreviewsController,
    DashboardController,
    DepartureBoardController,
    ImportsController,
    ManifestsController,
    NotesController,
    RecordsController,
    RoomingController,
    TasksController,
    TimelinesController,
    OfferPagesController,
    WaitingEntriesController,
  ],
  providers: [
    AttachmentRecords,
    BookingImporter,
    BookingPagesService,
    CustomerImporter,
    DashboardService,
    BoardService,
    BulkOperationRunner,
    BulkOperationsRepository,
    BulkOperationsService,
    BulkTypes,
    CallOffRunner,
    CancelBookingsType,
    CancelDeparturesType,
    CallOffsRepository,
    CallOffsService,
    CheckInListener,
    CheckInRetentionJobs,
    CreateDocumentsType,
    DepartureDecisionListener,
    DeskData,
    DeskDemo,
    ImportReferences,
    ImportRunner,
    ImportsRepository,
    ImportsService,
    IssueInvoicesType,
    KeptBookingListener,
    ManifestsService,
    MergedRecordsListener,
    MessageBookingsType,
    MoveBookingsType,
    NotesRepository,
    NotesService,
    ProductImporter,
    RecordPrinter,
    RecordSearchService,
    RoomingListener,
    RoomingRepository,
    RoomingRetentionJobs,
    RoomingService,
    SeasonDaysDemo,
    SeasonSalesDemo,
    SeasonToursDemo,
    SubjectsRepository,
    SuppressedMailListener,
    TagCustomersType,
    TasksRepository,
    TasksService,
    TimelinesService,
    TravelsRepository,
    UpdateDeparturesType,
    OfferPagesService,
    WaitingEntriesRepository,
    WaitingEntriesService,
    WaitingListListener,
    WaitingOffersService,
  ],
})
export class DeskModule {}
