import { Body, Controller, Delete, Get, Header, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateTraveler,
  ListTravelers,
  MAX_TRAVELERS,
  ReplaceTravelers,
  RevealDocument,
  RevealedEnvelope,
  toTraveler,
  BookingTravelerEnvelope,
  BookingTravelerPage,
  UpdateTraveler,
} from './traveler.dto.js';
import { TravelersService } from './travelers.service.js';

const IRREVERSIBLE = 'The ledger keeps no personal data of travelers: change the travelers again';
const STORED = [
  ...['booking_closed', 'customer_archived', 'customer_merged', 'customer_erased', 'traveler_limit_reached'],
  ...['vault_missing', 'vault_archived', 'no_usable_key'],
];

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId/travelers')
export class TravelersController {
  constructor(private readonly travelers: TravelersService) {}

  /**
   * Add a traveler to a booking
   *
   * @remarks Adds a person after the others; without a name it is a placeholder. With `customerId` the traveler copies the members
   * of the customer that are not sent. The number of a document and both notes are encrypted with the vault `travelers`.
   * Dietary needs and notes are rejected without a consent to the use of health data. Rejected for a cancelled booking.
   */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.traveler.create', { irreversible: IRREVERSIBLE })
  @Refuses({ 404: ['not_found'], 409: STORED, 422: ['consent_required'] })
  async create(
    @PathId('book', 'bookingId', 5) bookingId: string,
    @Body() body: CreateTraveler,
  ): Promise<BookingTravelerEnvelope> {
    const view = await this.travelers.create(bookingId, body);
    const { id } = view.traveler;
    return created(`/v1/admin/bookings/${bookingId}/travelers/${id}`, view.traveler, { data: toTraveler(view) });
  }

  /**
   * List the travelers of a booking
   *
   * @remarks Returns a page of travelers in the order of the booking, including cancelled ones. `missing` names what a traveler
   * still has to provide. Numbers of documents and notes are not included.
   */
  @Get()
  @RequireScope('bookings:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListTravelers,
  ): Promise<BookingTravelerPage> {
    const { views, total } = await this.travelers.list(bookingId, query);
    return { data: views.map(toTraveler), total, ...pageBounds(query) };
  }

  /**
   * Replace the travelers of a booking
   *
   * @remarks Makes the list the travelers of the booking, in this order, in one transaction: entries with `id` are kept and
   * changed by the members that are sent, entries without are added, and all other travelers are deleted with their seats.
   * `If-Match` takes the version of the booking, which rises with each change of its travelers.
   */
  @Put()
  @RequireScope('bookings:write')
  @Mutates('bookings.traveler.replace', { irreversible: IRREVERSIBLE })
  @BodyExample({ travelers: [{ firstName: 'Alan', lastName: 'Turing', isLead: true }, { lastName: 'Clarke' }] })
  @Refuses({ 404: ['not_found'], 409: [...STORED, 'traveler_is_lead'], 422: ['consent_required'] })
  async replace(
    @ChangeTarget({ bookingId: ['book', 3] }) { bookingId, expected }: Target<'bookingId'>,
    @Body() { travelers }: ReplaceTravelers,
  ): Promise<BookingTravelerPage> {
    const { views, total } = await this.travelers.replace(bookingId, travelers, expected);
    return { data: views.map(toTraveler), total, limit: MAX_TRAVELERS, offset: 0 };
  }

  /**
   * Get a traveler
   *
   * @remarks Returns a traveler of this booking; a traveler of another booking is 404.
   */
  @Get(':travelerId')
  @RequireScope('bookings:read')
  async get(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('trav', 'travelerId') travelerId: string,
  ): Promise<BookingTravelerEnvelope> {
    const view = await this.travelers.get({ bookingId, travelerId });
    return tagged(view.traveler, { data: toTraveler(view) });
  }

  /**
   * Update a traveler
   *
   * @remarks Changes only the fields that are sent. A new lead replaces the former one. A cancelled traveler loses the
   * seats; the lead cannot be cancelled. A traveler of a cancelled booking cannot be changed.
   */
  @Patch(':travelerId')
  @RequireScope('bookings:write')
  @Mutates('bookings.traveler.update', { irreversible: IRREVERSIBLE })
  @Refuses({ 409: [...STORED, 'traveler_is_lead'], 422: ['consent_required'] })
  async update(
    @ChangeTarget({ bookingId: ['book', 1], travelerId: ['trav', 2] }) target: Target<'bookingId' | 'travelerId'>,
    @Body() body: UpdateTraveler,
  ): Promise<BookingTravelerEnvelope> {
    const view = await this.travelers.update(target, body);
    return tagged(view.traveler, { data: toTraveler(view) });
  }

  /**
   * Delete a traveler
   *
   * @remarks Deletes the traveler and returns it as it was. Its seats become guests without a name. If it was the lead, the next
   * active traveler becomes the lead.
   */
  @Delete(':travelerId')
  @RequireScope('bookings:write')
  @Mutates('bookings.traveler.delete', { irreversible: IRREVERSIBLE })
  @Refuses({ 409: ['booking_closed'] })
  async delete(
    @ChangeTarget({ bookingId: ['book', 1], travelerId: ['trav', 3] }) target: Target<'bookingId' | 'travelerId'>,
    @NoBody() _body: null,
  ): Promise<BookingTravelerEnvelope> {
    const view = await this.travelers.delete(target);
    return tagged(view.traveler, { data: toTraveler(view) });
  }

  /**
   * Reveal the sealed data of a traveler
   *
   * @remarks Returns the number of the travel document and the notes in plain text. The purpose is recorded in the action ledger.
   * The response is neither cached nor stored.
   */
  @Post(':travelerId/document/reveal')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @RequireScope('customers:sensitive')
  @Mutates('customers.document.reveal', {
    irreversible: 'Nothing was changed: the entry records who saw the data',
    secrets: ['data.number', 'data.healthNote', 'data.mobilityNote'],
  })
  @BodyExample({ purpose: 'Check-in with the airline' })
  @Refuses({ 409: ['sealed_value_unreadable', 'vault_missing', 'vault_archived'] })
  async reveal(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('trav', 'travelerId') travelerId: string,
    @Body() { purpose }: RevealDocument,
  ): Promise<RevealedEnvelope> {
    return { data: await this.travelers.reveal({ bookingId, travelerId }, purpose) };
  }
}
