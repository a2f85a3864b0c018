import { dataOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  ListOf,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { QUESTION_SCOPES, QUESTION_TYPES, type QuestionScope, type QuestionType } from '../../products/index.js';
import { MAX_ASKED_UNITS } from '../bookings/open-questions.sql.js';
import type { AnswerTarget, BookingAnswer } from './answer.entity.js';

const MAX_ANSWERS = 1_000;
const MAX_OPEN = 10_000;
const VALUES = { min: 1, max: 50, maxLength: 2000, pattern: /^[^\p{Cc}]*(?:[\t\n\r][^\p{Cc}]*)*$/u };

/** The answer to a question. */
export class AnswerBody {
  /**
   * Question of a product of the booking (prefix `pqst`).
   * @example "pqst_01k0dem000e000000000000001"
   */
  @Id('pqst')
  questionId: string;

  /** Traveler of the booking (prefix `trav`); required for questions to travelers, and only allowed for them. */
  @Clearable()
  @Id('trav')
  travelerId?: string | null;

  /** Item of the booking (prefix `bkit`); required for questions about units, and only allowed for them. */
  @Clearable()
  @Id('bkit')
  bookingItemId?: string | null;

  /** Number of the unit, from 1 to the quantity of the item; only with `bookingItemId`, 1 by default. */
  @Clearable()
  @Whole({ min: 1, max: MAX_ASKED_UNITS })
  unitNumber?: number | null;

  /**
   * The answer as text: digits of an integer, a day as YYYY-MM-DD, `true` or `false`, an international telephone number, an ISO
   * 3166-1 code, or the value of a choice; several for `multi_choice`. If it is omitted, the stored answer stays.
   * @example ["42"]
   */
  @Optional()
  @Texts(VALUES)
  values?: string[];
}

/** All answers of a booking. */
export class ReplaceAnswers {
  /** The answers; stored ones that are not in the list are deleted. */
  @ListOf(() => AnswerBody, { max: MAX_ANSWERS })
  answers: AnswerBody[];
}

/** An answer, with the question as it was asked. */
class BookingAnswerResponse {
  @Id('pans')
  id: string;

  /** Question that was answered. */
  @Id('pqst')
  questionId: string;

  /** Version of the question that was answered. */
  @Whole({ min: 1, max: 2_147_483_647 })
  questionVersion: number;

  /** The question as it was asked. */
  @Text({ max: 255 })
  label: string;

  /** For whom it was answered. */
  @OneOf(QUESTION_SCOPES)
  scope: QuestionScope;

  /** Kind of the answer. */
  @OneOf(QUESTION_TYPES)
  type: QuestionType;

  /** Traveler (prefix `trav`) for whom it was answered; null for the booking and for units. */
  @Id('trav')
  travelerId: string | null;

  /** Item (prefix `bkit`) about whose unit it is; null for other questions. */
  @Id('bkit')
  bookingItemId: string | null;

  /** Number of the unit; null for other questions. */
  @Whole({ min: 1, max: MAX_ASKED_UNITS })
  unitNumber: number | null;

  /** The answer as text; null if it is encrypted. */
  @Texts(VALUES)
  values: string[] | null;

  /** Whether the answer is encrypted, and shown by its reveal only. */
  @Flag()
  isSealed: boolean;

  @Instant()
  createdAt: string;
}

/** A required question that is due and has no answer. */
class OpenQuestionResponse {
  /** Question without an answer. */
  @Id('pqst')
  questionId: string;

  /** Traveler (prefix `trav`) who is asked; null for other questions. */
  @Id('trav')
  travelerId: string | null;

  /** Item (prefix `bkit`) about whose unit it is; null for other questions. */
  @Id('bkit')
  bookingItemId: string | null;

  /** Number of the unit; null for other questions. */
  @Whole({ min: 1, max: MAX_ASKED_UNITS })
  unitNumber: number | null;
}

/** The answers of a booking, and what is still to be answered. */
class BookingAnswersResponse {
  /** Booking of the answers. */
  @Id('book')
  bookingId: string;

  /** Version of the booking. It is also the ETag, and what If-Match is compared with. */
  @Version()
  version: number;

  /** The answers in the order of the questions. */
  @ListOf(() => BookingAnswerResponse, { max: MAX_ANSWERS })
  answers: BookingAnswerResponse[];

  /** Required questions that are due today and have no answer; at most 10,000. */
  @ListOf(() => OpenQuestionResponse, { max: MAX_OPEN })
  missing: OpenQuestionResponse[];
}

export class BookingAnswersEnvelope extends dataOf(BookingAnswersResponse) {}

/** Why staff need to see a sealed answer. */
export class RevealAnswer {
  /**
   * Purpose, which the action ledger records.
   * @example "Menu for the group"
   */
  @Text({ max: 200 })
  purpose: string;
}

/** The values of a sealed answer. A response that is repeated for an Idempotency-Key does not contain them. */
class RevealedAnswerResponse {
  /** The answer as text; absent in a repeated response. */
  @Optional()
  @Texts(VALUES)
  values?: string[];
}

export class RevealedAnswerEnvelope extends dataOf(RevealedAnswerResponse) {}

/** An answer with its question as it was asked. */
export interface AnswerView {
  answer: BookingAnswer;
  label: string;
  scope: QuestionScope;
  type: QuestionType;
}

export interface BookingAnswers {
  bookingId: string;
  version: number;
  answers: readonly AnswerView[];
  missing: readonly AnswerTarget[];
}

export function toBookingAnswers({ bookingId, version, answers, missing }: BookingAnswers): BookingAnswersResponse {
  return respond(BookingAnswersResponse, {
    ...{ bookingId, version },
    answers: answers.map(({ answer, label, scope, type }) =>
      respond(BookingAnswerResponse, answer, {
        ...{ label, scope, type, bookingItemId: answer.itemId, isSealed: answer.sealed !== null },
      }),
    ),
    missing: missing.map(({ questionId, travelerId, itemId, unitNumber }) =>
      respond(OpenQuestionResponse, { questionId, travelerId, bookingItemId: itemId, unitNumber }),
    ),
  });
}
