import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { ConsentsService, CustomersService, SealedValues } from '../../customers/index.js';
import { DeparturesService } from '../../operations/index.js';
import { type AskedQuestion, ProductQuestionsService } from '../../products/index.js';
import type { Booking } from '../bookings/booking.entity.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { MAX_ASKED_UNITS } from '../bookings/open-questions.sql.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import type { BookingTraveler } from '../travelers/traveler.entity.js';
import { TravelersRepository } from '../travelers/travelers.repository.js';
import type { AnswerBody, BookingAnswers } from './answer.dto.js';
import { type AnswerTarget, BookingAnswer, targetKey } from './answer.entity.js';
import { answerValues } from './answer-values.js';
import { AnswersRepository } from './answers.repository.js';

/** An answer of a request. */
interface Given extends AnswerTarget {
  id: string;
  /** The values in plain text, and in the form in which they are stored once they are sealed; null if the stored answer stays. */
  content: { values: string[]; sealed: null } | { values: null; sealed: string } | null;
  /** Null if it is no longer asked, so that only the stored answer can stay. */
  question: AskedQuestion | null;
  path: string;
}

/** What the answers of a booking can be about. */
interface Asked {
  questions: readonly AskedQuestion[];
  items: readonly BookingItem[];
  travelers: readonly BookingTraveler[];
  /** The product of each departure of the items. */
  products: ReadonlyMap<string, string>;
}

/** The answers of bookings to the questions of their products. A change locks customers first, then the booking. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly database: Database,
    private readonly repository: AnswersRepository,
    private readonly bookings: BookingsRepository,
    private readonly travelers: TravelersRepository,
    private readonly departures: DeparturesService,
    private readonly questions: ProductQuestionsService,
    private readonly customers: CustomersService,
    private readonly consents: ConsentsService,
    private readonly sealed: SealedValues,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async get(bookingId: string): Promise<BookingAnswers> {
    const { version } = await this.bookings.bookings.get(bookingId);
    const answers = await this.repository.viewsOf(bookingId);
    return { bookingId, version, answers, missing: await this.repository.missingOf(bookingId) };
  }

  /** The expected version is that of the booking. */
  async replace(
    { bookingId, expected }: { bookingId: string; expected: ExpectedVersions },
    body: readonly AnswerBody[],
    newAnswerId = () => newId('pans'),
  ): Promise<BookingAnswers> {
    // Sealing costs more than the checks before it, and happens outside of the transaction, because the vault has its own.
    const present = await this.bookings.bookings.get(bookingId);
    assertVersion(expected, present);
    present.assertNotCancelled();
    const asked = await this.askedOf(bookingId);
    const checked: Given[] = [];
    const stored = new Map((await this.repository.allOf(bookingId)).map((answer) => [targetKey(answer), answer.id]));
    for (const [index, one] of body.entries()) checked.push(prepare(one, index, { asked, stored, newAnswerId }));
    assertUnique(checked);
    await this.assertConsents(checked, asked.travelers, present);
    const given: Given[] = [];
    for (const one of checked) given.push(await this.seal(one));

    await this.database.transaction(async () => {
      await this.lockCustomers(given, asked, present);
      const booking = await this.bookings.bookings.lock(bookingId);
      assertVersion(expected, booking);
      booking.assertNotCancelled();
      const travelers = await this.travelers.lockAllOf(bookingId);
      await this.assertConsents(given, travelers, booking);
      await this.questions.lock(given.flatMap(({ content, question }) => (content && question ? question : [])));
      const before = await this.repository.allOf(bookingId);
      const byTarget = new Map(before.map((answer) => [targetKey(answer), answer]));
      const kept = new Set<string>();
      const added: BookingAnswer[] = [];
      for (const one of given) {
        const former = byTarget.get(targetKey(one));
        if (former && isSame(former, one)) kept.add(former.id);
        else added.push(this.newAnswer(bookingId, one, travelers));
      }
      await this.repository.delete(before.filter(({ id }) => !kept.has(id)).map(({ id }) => id));
      await this.repository.answers.insertAll(added);
      booking.updatedAt = this.clock.now();
      await this.bookings.bookings.update(booking);
      this.ledger.record('bookings.answer.replace', {
        subjectType: 'booking',
        subjectId: bookingId,
        before: { answerIds: before.map(({ id }) => id) },
        after: { answerIds: [...kept, ...added.map(({ id }) => id)], changedIds: added.map(({ id }) => id) },
      });
    });
    return this.get(bookingId);
  }

  /** The values in plain text; the ledger records the purpose. */
  async reveal(bookingId: string, answerId: string, purpose: string): Promise<string[]> {
    const { id, questionId, values, sealed } = await this.repository.get(bookingId, answerId);
    const revealed = values ?? (await this.open(id, sealed));
    await this.database.transaction(async () => {
      this.ledger.record('customers.answer.reveal', {
        subjectType: 'booking_answer',
        subjectId: id,
        before: null,
        after: { bookingId, questionId },
        reason: purpose,
      });
    });
    return revealed;
  }

  /** The values of a sealed answer. */
  async open(answerId: string, sealed: string | null): Promise<string[]> {
    if (sealed === null) return [];
    return JSON.parse(await this.sealed.open({ subject: answerId, field: 'values' }, sealed)) as string[];
  }

  private async askedOf(bookingId: string): Promise<Asked> {
    const items = await this.bookings.activeItems(bookingId);
    const departures = await this.departures.listSummaries(items.flatMap(({ departureId }) => departureId ?? []));
    const products = new Map(departures.map(({ id, productId }) => [id, productId]));
    const questions = await this.questions.listOf([...new Set(products.values())]);
    return { questions, items, travelers: await this.travelers.allOf(bookingId), products };
  }

  private async seal(given: Given): Promise<Given> {
    const { id, content, question } = given;
    if (content === null || content.values === null || !question?.sensitive) return given;
    const sealed = await this.sealed.seal({ subject: id, field: 'values' }, JSON.stringify(content.values));
    return { ...given, content: { values: null, sealed } };
  }

  /** Prevents that a customer withdraws the consent to health data while an answer about health is stored. */
  private async lockCustomers(given: readonly Given[], { travelers }: Asked, booking: Booking): Promise<void> {
    const ids = given.filter(isAboutHealth).map(({ travelerId }) => {
      const traveler = travelers.find(({ id }) => id === travelerId);
      return travelerId === null ? booking.customerId : (traveler?.customerId ?? null);
    });
    for (const id of [...new Set(ids.flatMap((one) => one ?? []))].sort()) await this.customers.lockShared(id);
  }

  private async assertConsents(
    given: readonly Given[],
    travelers: readonly BookingTraveler[],
    booking: Booking,
  ): Promise<void> {
    for (const { travelerId, path } of given.filter(isAboutHealth)) {
      const traveler = travelers.find(({ id }) => id === travelerId);
      if (traveler?.healthDataConsent) continue;
      const customerId = travelerId === null ? booking.customerId : (traveler?.customerId ?? null);
      if (customerId !== null && (await this.consents.isGranted(customerId, 'health_data'))) continue;
      throw unprocessable('consent_required', 'Answers about health need a consent to the use of health data', {
        field: `${path}.values`,
        purpose: 'health_data',
      });
    }
  }

  private newAnswer(bookingId: string, one: Given, travelers: readonly BookingTraveler[]): BookingAnswer {
    const { id, questionId, travelerId, itemId, unitNumber, content, question, path } = one;
    // Another request has deleted the stored answer, or the traveler, meanwhile.
    if (!content || !question) throw invalidField(`${path}.values`, `${path}.values is required`, 'required');
    if (travelerId !== null && !travelers.some((traveler) => traveler.id === travelerId)) {
      throw notFound({ field: `${path}.travelerId` });
    }
    return make(BookingAnswer, {
      ...{ id, bookingId, questionId, questionVersion: question.version },
      ...{ travelerId, itemId, unitNumber, ...content, createdAt: this.clock.now() },
    });
  }
}

/** Checks an answer against its question. One that is not asked any more can only stay. */
function prepare(
  body: AnswerBody,
  index: number,
  { asked, stored, newAnswerId }: { asked: Asked; stored: ReadonlyMap<string, string>; newAnswerId: () => string },
): Given {
  const { questionId, travelerId = null, bookingItemId: itemId = null, values } = body;
  const path = `answers.${index}`;
  const unitNumber = body.unitNumber ?? (itemId === null ? null : 1);
  const target = { questionId, travelerId, itemId, unitNumber };
  const storedId = stored.get(targetKey(target));
  const id = storedId ?? newAnswerId();
  const question = asked.questions.find((one) => one.id === questionId) ?? null;
  if (values === undefined) {
    if (storedId !== undefined) return { ...target, id, content: null, question, path };
    throw invalidField(`${path}.values`, `${path}.values is required, because no answer is stored`, 'required');
  }
  if (!question) throw notFound({ field: `${path}.questionId` });
  if (!question.active) {
    const details = { field: `${path}.questionId`, questionId };
    throw conflict('question_inactive', 'The question is not asked any more', details);
  }
  assertTarget(target, question, { asked, path });
  const content = { values: answerValues(question, values, `${path}.values`), sealed: null };
  return { ...target, id, content, question, path };
}

function isAboutHealth({ content, question }: Given): boolean {
  return content !== null && question?.healthData === true;
}

/** A sealed answer cannot be compared without opening it, so that one with values is another answer. */
function isSame(stored: BookingAnswer, { content }: Given): boolean {
  return content === null || (content.values !== null && isDeepStrictEqual(stored.values, content.values));
}

function assertTarget(
  { travelerId, itemId, unitNumber }: AnswerTarget,
  question: AskedQuestion,
  { asked: { items, travelers, products }, path }: { asked: Asked; path: string },
): void {
  if (question.field !== null) {
    const message = `The answer is the member ${question.field} of the traveler`;
    throw invalidField(`${path}.questionId`, message, 'not_applicable');
  }
  assertGiven(travelerId !== null, question.scope === 'traveler', `${path}.travelerId`);
  assertGiven(itemId !== null, question.scope === 'unit', `${path}.bookingItemId`);
  assertGiven(unitNumber !== null, question.scope === 'unit', `${path}.unitNumber`);
  const isActive = travelers.some(({ id, status }) => id === travelerId && status === 'active');
  if (travelerId !== null && !isActive) throw notFound({ field: `${path}.travelerId` });
  if (itemId === null || unitNumber === null) return;
  const item = items.find(({ id, unitId }) => id === itemId && unitId !== null);
  if (!item || products.get(item.departureId ?? '') !== question.productId) {
    throw notFound({ field: `${path}.bookingItemId` });
  }
  const max = Math.min(item.quantity, MAX_ASKED_UNITS);
  if (unitNumber > max)
    throw invalidField(`${path}.unitNumber`, `${path}.unitNumber is too large`, 'too_large', { max });
}

function assertGiven(isGiven: boolean, isRequired: boolean, path: string): void {
  if (isGiven === isRequired) return;
  if (isRequired) throw invalidField(path, `${path} is required for this question`, 'required');
  throw invalidField(path, `${path} does not apply to this question`, 'not_applicable');
}

function assertUnique(given: readonly Given[]): void {
  const keys = given.map(targetKey);
  const again = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (again >= 0) throw invalidField(`answers.${again}.questionId`, 'The question has two answers', 'duplicate');
}
