import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { TRAVELERS_OF_PERSON, travelerKeysOf } from '../../bookings/index.js';
import { bookingIdsOf, type Person } from '../../customers/index.js';
import {
  DocumentPrinter,
  type DocumentSelection,
  type DocumentSource,
  type DocumentSubject,
  type PrintableDocument,
} from '../../documents/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import { ManifestsService } from '../manifests/manifests.service.js';
import { RoomingService } from '../rooming/rooming.service.js';
import { MANIFEST_LABELS } from '../manifests/manifest-labels.js';
import { ROOMING_LABELS } from '../rooming/rooming-list-labels.js';
import { manifestTexts, roomingTexts } from './departure-texts.js';
import { TRAVEL_LABELS } from './travel-labels.js';
import { titleOf, travelBlocks, type TravelKind, travelTexts } from './travel-layout.js';
import { type NamedTravel, type Travel, TravelsRepository } from './travels.repository.js';

const MANIFEST_THREAD = new URL('../manifests/manifest-thread.js', import.meta.url);
const ROOMING_THREAD = new URL('../rooming/rooming-list-thread.js', import.meta.url);

/** SQL: the ids of the departures and bookings with these travelers. */
const RECORDS_OF_TRAVELERS = `
  select distinct 'departure' as "subjectType", item.departure_id as "subjectId" from booking_items item
  where item.departure_id is not null and (item.booking_id = any($3)
    or item.id in (select taken.item_id from booking_item_travelers taken where taken.traveler_id in (${TRAVELERS_OF_PERSON})))
  union select 'booking', traveler.booking_id from booking_travelers traveler where traveler.id in (${TRAVELERS_OF_PERSON})
  union select 'trip', trip.id from trip_envelopes trip
    where trip.booking_id = any($3) or trip.customer_id = any($1)
      or lower(trip.traveler_party -> 'billing' ->> 'email') = any($2)
      or trip.booking_id in (select traveler.booking_id from booking_travelers traveler where traveler.id in (${TRAVELERS_OF_PERSON}))`;

/**
 * SQL: whether the travel data of a booking has ended; false for an open booking without dates. Documents name its travelers.
 * $1 is today, $2 `TRAVEL_RETENTION_DAYS`.
 */
const BOOKING_ENDED = `(booking.erased_at is not null or (coalesce(
    greatest(booking.return_date, booking.end_date), booking.departure_date,
    case when booking.status in ('completed', 'cancelled') then booking.updated_at::date end
  ) < $1::date - $2::int) is true)`;

/** SQL: the records whose documents can stay, by their type. */
const CURRENT = {
  booking: `select from bookings booking where booking.id = subject_id and not ${BOOKING_ENDED}`,
  trip: `select from trip_envelopes trip left join bookings booking on booking.id = trip.booking_id
    where trip.id = subject_id and trip.erased_at is null and (booking.id is null or not ${BOOKING_ENDED})`,
  departure: `select from departures departure
    where departure.id = subject_id and departure.ends_at >= $1::date - $2::int`,
} as const;

/** SQL: records with documents that no longer exist, or whose personal data has ended. */
const ENDED_RECORDS = (['booking', 'trip', 'departure'] as const)
  .map(
    (type) => `select distinct subject_type as "subjectType", subject_id as "subjectId" from record_documents
      where subject_type = '${type}' and not exists (${CURRENT[type]})`,
  )
  .join(' union all ');

/** Prints bookings, trips and departures. */
@Injectable()
@Listens(DocumentPrinter, 10)
export class RecordPrinter implements DocumentPrinter {
  constructor(
    private readonly database: Database,
    private readonly travels: TravelsRepository,
    private readonly manifests: ManifestsService,
    private readonly rooming: RoomingService,
    private readonly products: ProductsService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async read({ kind, ...subject }: DocumentSource, language: DocumentLanguage): Promise<PrintableDocument> {
    switch (kind) {
      case 'confirmation':
      case 'itinerary':
        return this.readTravel(kind, subject, language);
      case 'manifest':
        return this.readManifest(subject.subjectId, language);
      case 'rooming_list':
        return this.readRoomingList(subject.subjectId, language);
    }
  }

  async languageOf(subject: DocumentSubject): Promise<string | null> {
    return subject.subjectType === 'departure' ? null : (await this.travelOf(subject)).language;
  }

  async bookingOf({ subjectType, subjectId }: DocumentSource): Promise<string | null> {
    switch (subjectType) {
      case 'booking':
        return subjectId;
      case 'departure':
        return null;
      case 'trip': {
        const [trip] = await this.database.query<{ bookingId: string | null }>(
          'select booking_id as "bookingId" from trip_envelopes where id = $1',
          [subjectId],
        );
        return trip?.bookingId ?? null;
      }
    }
  }

  async documentsOf(person: Person): Promise<DocumentSelection> {
    const keys = travelerKeysOf(person);
    const records = await this.database.query<DocumentSubject>(RECORDS_OF_TRAVELERS, keys);
    const travelers = await this.database.query<{ id: string }>(TRAVELERS_OF_PERSON, keys);
    const bookingIds = bookingIdsOf(person);
    return {
      subjects: [...bookingIds.map((subjectId) => ({ subjectType: 'booking', subjectId }) as const), ...records],
      namedIds: [...bookingIds, ...person.customerIds, ...travelers.map(({ id }) => id)],
    };
  }

  async listEnded(limit: number): Promise<DocumentSubject[]> {
    return this.database.query(`${ENDED_RECORDS} limit $3`, [this.clock.today(), this.env.travelRetentionDays, limit]);
  }

  private async readTravel(
    kind: TravelKind,
    subject: DocumentSubject,
    language: DocumentLanguage,
  ): Promise<PrintableDocument> {
    const { namedIds, ...travel } = await this.travelOf(subject);
    const { isOffer, number } = travel;
    const titles = await this.titlesOf(travel, language);
    const title = titleOf(kind, isOffer, TRAVEL_LABELS[language]);
    return {
      fileName: `${kind}-${fileNameOf(number ?? subject.subjectId)}`,
      isOffer,
      title: number === null ? title : `${title} ${number}`,
      texts: travelTexts(travel, { kind, language, titles }),
      builtIn: { blocks: travelBlocks(kind, language) },
      shown: { travel, titles: [...titles] },
      namedIds,
    };
  }

  private async readManifest(departureId: string, language: DocumentLanguage): Promise<PrintableDocument> {
    const read = await this.manifests.get(departureId, {}, language);
    // The list prints no amounts, which not every caller may see.
    const manifest = { ...read, people: read.people.map(({ balanceDueCents: _, ...person }) => person) };
    const { generatedAt: __, ...shown } = manifest;
    const head = await this.manifests.headOf(manifest, language);
    const { productTitle } = head;
    return {
      fileName: `manifest-${manifest.localStart.slice(0, 10)}`,
      isOffer: false,
      title: `${MANIFEST_LABELS[language].title} ${productTitle} ${manifest.localStart}`,
      texts: manifestTexts({ ...manifest, productTitle }, language),
      builtIn: { script: MANIFEST_THREAD, data: { language, head, manifest } },
      shown: { ...shown, ...head },
      namedIds: await this.travels.namedIdsOf(read.people.map(({ bookingId }) => bookingId)),
    };
  }

  private async readRoomingList(departureId: string, language: DocumentLanguage): Promise<PrintableDocument> {
    const list = await this.rooming.list(departureId, language);
    const { generatedAt: _, ...shown } = list;
    const people = [...list.withoutRoom, ...list.rooms.flatMap((room) => room.people)];
    const head = await this.manifests.headOf(list, language);
    const { productTitle } = head;
    return {
      fileName: `rooming-list-${list.localStart.slice(0, 10)}`,
      isOffer: false,
      title: `${ROOMING_LABELS[language].title} ${productTitle} ${list.localStart}`,
      texts: roomingTexts({ ...list, productTitle }, language),
      builtIn: { script: ROOMING_THREAD, data: { language, head, list } },
      shown: { ...shown, ...head },
      namedIds: await this.travels.namedIdsOf(people.map(({ bookingId }) => bookingId)),
    };
  }

  private async travelOf({ subjectType, subjectId }: DocumentSubject): Promise<NamedTravel> {
    switch (subjectType) {
      case 'booking':
        return this.travels.ofBooking(subjectId);
      case 'trip':
        return this.travels.ofTrip(subjectId);
      case 'departure':
        throw notFound({ field: 'subjectId' });
    }
  }

  /** The titles of the products in this language, by their ids. */
  private async titlesOf({ services }: Travel, language: DocumentLanguage): Promise<Map<string, string>> {
    const titles = new Map<string, string>();
    for (const id of new Set(services.flatMap(({ productId }) => productId ?? []))) {
      const title = await this.products.findTitle(id, language);
      if (title !== null) titles.set(id, title);
    }
    return titles;
  }
}

/** A dash replaces characters that a header or a file system may misinterpret. */
function fileNameOf(number: string): string {
  return number.replace(/[^A-Za-z0-9_-]+/g, '-');
}
