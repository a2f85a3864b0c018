import { OrganizationService } from '../../organization/index.js';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { SYSTEM } from '../../../platform/context/actor.js';
import { currentContext, openContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import type { HtmlPage } from '../../../platform/http/html-page.js';
import { LinkTokens } from '../../../platform/keys/link-tokens.js';
import { LOG } from '../../../platform/observability/log.js';
import { AgencyTermsService } from '../../bookings/index.js';
import { OfferLinks } from '../../notifications/index.js';
import { type DepartureSummary, DeparturesService, QuotesService } from '../../operations/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import { TasksService } from '../tasks/tasks.service.js';
import { offerPage, type OfferPrice, type OfferState, pageLanguageOf, type ShownOffer } from './offer-page.js';
import { WaitingEntriesService } from './waiting-entries.service.js';
import type { WaitingEntry } from './waiting-entry.entity.js';

export const OFFERS_PATH = '/v1/public/operations/waiting-offers';

const PURPOSE = 'waiting-offer';
const PRICE_CHANGED = 'offer_price_changed';

/** What the customer answers on the page. */
export type OfferAnswer =
  | { answer: 'decline' }
  /** The price in total that the page showed; null if it showed none. */
  | { answer: 'accept'; totalCents: number | null };

/** An entry behind a valid link, and the offer of the link. */
interface Linked {
  entry: WaitingEntry;
  language: string | null;
}

/**
 * Pages on which customers take or decline an offer of the waiting list. Links are computed: each names its entry and its offer, so it
 * ends with that offer. Eleven dependencies: the page shows a departure, a product and a price, and its answer books, informs
 * staff and is logged.
 */
@Injectable()
@Listens(OfferLinks, 10)
export class OfferPagesService extends OfferLinks {
  constructor(
    private readonly database: Database,
    private readonly entries: WaitingEntriesService,
    private readonly departures: DeparturesService,
    private readonly products: ProductsService,
    private readonly quotes: QuotesService,
    private readonly agencies: AgencyTermsService,
    private readonly tasks: TasksService,
    private readonly tokens: LinkTokens,
    private readonly clock: Clock,
    private readonly organization: OrganizationService,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {
    super();
  }

  /** The message may be one that staff sent again. */
  async find(messageId: string): Promise<string | null> {
    const [offer] = await this.database.prepared<{ id: string; offers: number }>(
      'waiting-offer-of-message',
      `with recursive sent (id, resend_of) as (
         select id, resend_of from notification_messages where id = $1
         union all select former.id, former.resend_of from notification_messages former join sent on former.id = sent.resend_of)
       select entry.id, entry.offers from sent join waiting_entries entry on entry.message_id = sent.id
       where entry.status = 'offered' and entry.offer_expires_at > $2`,
      [messageId, this.clock.now()],
    );
    return offer === undefined
      ? null
      : `${this.env.baseUrl}${OFFERS_PATH}/${this.tokens.create(PURPOSE, offer.id, String(offer.offers))}`;
  }

  /** Returns the page of a link, in the language of the customer or of the browser. It changes nothing. */
  async open(token: string, languageOfBrowser: DocumentLanguage): Promise<HtmlPage> {
    const linked = await this.linked(token);
    return this.page(linked, languageOfBrowser, await this.stateOf(linked?.entry ?? null, linked?.language ?? null));
  }

  /** Does what the customer answers, once. An answer to an offer that has ended, or was answered, gets its page. */
  async answer(token: string, readForm: () => OfferAnswer, languageOfBrowser: DocumentLanguage): Promise<HtmlPage> {
    const linked = await this.linked(token);
    if (linked?.entry.status !== 'offered') return this.open(token, languageOfBrowser);
    const form = readForm();
    const { entry, language } = linked;
    let state: OfferState;
    try {
      await openContext({ ...currentContext(), actor: SYSTEM }, () =>
        form.answer === 'accept' ? this.accept(entry, form.totalCents) : this.decline(entry),
      );
      const present = (await this.linked(token))?.entry ?? null;
      state = form.answer === 'decline' ? { kind: 'declined' } : await this.stateOf(present, language);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      state = await this.afterRefusal(token, error);
    }
    return this.page(linked, languageOfBrowser, state);
  }

  /** Books at the price that the customer has read, or not at all: a page without a price asks again as soon as there is one. */
  private async accept({ id, offers }: WaitingEntry, totalCents: number | null): Promise<void> {
    await this.database.transaction(async () => {
      const { entry } = await this.entries.acceptByCustomer(id, offers);
      if (entry.bookingId === null) throw new Error('An accepted entry has a booking');
      const price = await this.priceOf(entry.bookingId);
      if (totalCents !== price.cents) {
        throw conflict(PRICE_CHANGED, 'The price has changed since the page was opened', { ...price });
      }
      const subject = { subjectType: 'booking', subjectId: entry.bookingId } as const;
      await this.raise(entry, 'Confirm a booking: the customer took an offer of the waiting list', subject);
    });
  }

  private async decline({ id, offers }: WaitingEntry): Promise<void> {
    await this.entries.declineByCustomer(id, offers);
  }

  /** The offer still stands, but it cannot be booked like this; or it has ended meanwhile. */
  private async afterRefusal(token: string, { code, details }: AppError): Promise<OfferState> {
    const linked = await this.linked(token);
    const state = await this.stateOf(linked?.entry ?? null, linked?.language ?? null);
    if (!linked || state.kind !== 'question') return state;
    if (code === PRICE_CHANGED) {
      const { cents, currency } = details ?? {};
      if (typeof cents !== 'number' || typeof currency !== 'string') throw new Error('The price is not stated');
      return { kind: 'priceChanged', offer: { ...state.offer, price: { cents, currency } } };
    }
    const { entry } = linked;
    this.log.warn({ waitingEntryId: entry.id, code }, 'an offer that a customer took could not be booked');
    const subject = { subjectType: 'departure', subjectId: entry.offeredDepartureId ?? '' } as const;
    await openContext({ ...currentContext(), actor: SYSTEM }, () =>
      this.database.transaction(() => this.raise(entry, `Book an offer that a customer took: ${code}`, subject)),
    );
    return { kind: 'refused', offer: state.offer };
  }

  private async raise(
    { id, offers }: WaitingEntry,
    title: string,
    subject: { subjectType: 'booking' | 'departure'; subjectId: string },
  ): Promise<void> {
    const cause = { source: 'waiting_offer', dedupeKey: `${id}:${offers}:${subject.subjectType}` } as const;
    await this.tasks.raise({ ...cause, title, dueOn: this.clock.today(), subject });
  }

  private async stateOf(entry: WaitingEntry | null, language: string | null): Promise<OfferState> {
    if (entry === null) return { kind: 'notFound' };
    const { status, bookingId, endReason, offeredDepartureId, offerExpiresAt } = entry;
    if (status === 'accepted' && bookingId !== null) {
      return { kind: 'accepted', bookingNumber: (await this.priceOf(bookingId)).number };
    }
    if (endReason === 'declined_by_customer') return { kind: 'declined' };
    const isOpen = status === 'offered' && offerExpiresAt !== null && offerExpiresAt > this.clock.now();
    if (!isOpen || offeredDepartureId === null) return { kind: 'ended' };
    const departure = await this.departures.getSummary(offeredDepartureId);
    const { startsAt, timeZone } = departure;
    const offer: ShownOffer = {
      ...{ startsAt, timeZone, expiresAt: offerExpiresAt, seats: entry.seats },
      product: await this.products.findTitle(entry.productId, language),
      price: await this.quoteOf(entry, departure),
    };
    return { kind: 'question', offer };
  }

  /** Null if no price applies now: staff decide what the sale costs. */
  private async quoteOf(entry: WaitingEntry, departure: DepartureSummary): Promise<OfferPrice | null> {
    const { productId, optionId, units, quantity, customerId } = entry;
    const { id: departureId, currency, priceCents } = departure;
    if (quantity !== null) return { cents: quantity * priceCents, currency };
    try {
      const channelId = await this.agencies.channelOf(customerId);
      const { totalCents } = await this.quotes.quote(productId, { departureId, optionId, channelId, currency, units });
      return { cents: totalCents, currency };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return null;
    }
  }

  private async priceOf(bookingId: string): Promise<OfferPrice & { number: string }> {
    const [booking] = await this.database.query<OfferPrice & { number: string }>(
      'select number, coalesce(total_cents, 0)::float8 as cents, currency from bookings where id = $1',
      [bookingId],
    );
    if (!booking) throw new Error(`The booking ${bookingId} does not exist`);
    return booking;
  }

  /** Null for an unknown token, and for one of an earlier offer. */
  private async linked(token: string): Promise<Linked | null> {
    const presented = this.tokens.read(PURPOSE, 'wait', token);
    if (!presented) return null;
    const found = await this.entries.findForCustomer(presented.id);
    return found && presented.isFor(String(found.entry.offers)) ? found : null;
  }

  private async page(linked: Linked | null, languageOfBrowser: DocumentLanguage, state: OfferState): Promise<HtmlPage> {
    const { requestId } = currentContext();
    this.log.info({ waitingEntryId: linked?.entry.id ?? null, state: state.kind, requestId }, 'offer page access');
    const language = linked?.language ? pageLanguageOf(linked.language) : languageOfBrowser;
    return offerPage(state, { language, company: await this.organization.displayName() });
  }
}
