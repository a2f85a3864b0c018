import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { PRODUCT_ID, TRAVELER_FIELDS } from './product.entity.js';
import type { ProductQuestion, QuestionChanges } from './product-question.entity.js';
import { QUESTION_SCOPES, QUESTION_TYPES, type QuestionScope, type QuestionType } from './question-kinds.js';

const MAX_LOCALES = 20;
const MAX_CHOICES = 50;
const MAX_INTEGER = 2_147_483_647;
const CHOICE = /^[a-z0-9_-]{1,50}$/;

/** The texts of a question in one language. */
export class ProductQuestionTextBody {
  /**
   * Language of the texts; each only once.
   * @example "de"
   */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /**
   * The question; without one customers see `label`.
   * @example "Schuhgröße"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  label?: string | null;

  /** Explanation below the question. */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  help?: string | null;
}

/** The label of a choice in one language. */
export class QuestionChoiceText {
  /**
   * Language of the label.
   * @example "de"
   */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /**
   * What customers see.
   * @example "Mittel"
   */
  @Text({ max: 255 })
  label: string;
}

/** One of the answers to choose from. */
export class QuestionChoiceBody {
  /**
   * The answer as it is stored; each only once.
   * @example "medium"
   */
  @Text({ max: 50, pattern: CHOICE })
  value: string;

  /**
   * What staff see, and customers whose language has no label.
   * @example "Medium"
   */
  @Text({ max: 255 })
  label: string;

  /** Labels in other languages. */
  @Optional()
  @ListOf(() => QuestionChoiceText, { max: MAX_LOCALES })
  texts?: QuestionChoiceText[];
}

/** An earlier question and its answer, without which a question is not asked. */
export class ShowIfBody {
  /** Earlier question of the product (prefix `pqst`), not a sensitive one. */
  @Id('pqst')
  questionId: string;

  /**
   * Its answer: a choice, a country, `true` or `false`.
   * @example "true"
   */
  @Text({ max: 50 })
  equals: string;
}

/** What a product asks of those who book it. */
export class CreateProductQuestion {
  @Ignored()
  id?: undefined;

  /**
   * Who is asked: once for the `booking`, each `traveler` with a seat, or for each `unit` that was sold.
   * @example "traveler"
   */
  @OneOf(QUESTION_SCOPES)
  scope: QuestionScope;

  /**
   * Kind of the answer.
   * @example "integer"
   */
  @OneOf(QUESTION_TYPES)
  type: QuestionType;

  /**
   * The question for staff, and for customers whose language has no text.
   * @example "Shoe size"
   */
  @Text({ max: 255 })
  label: string;

  /** Explanation below the question; null if there is none. */
  @Clearable()
  @Text({ max: 1000, multiline: true, emptyIsNull: true })
  help?: string | null;

  /** Texts for customers, one for each language. */
  @Optional()
  @ListOf(() => ProductQuestionTextBody, { max: MAX_LOCALES })
  texts?: ProductQuestionTextBody[];

  /** The answers to choose from; required for `choice` and `multi_choice`, and only allowed for them. */
  @Optional()
  @ListOf(() => QuestionChoiceBody, { max: MAX_CHOICES })
  choices?: QuestionChoiceBody[];

  /** Whether an answer is needed; false by default. */
  @Optional()
  @Flag()
  required?: boolean;

  /** Days before the departure by which the answer is needed; null if it is needed when the product is booked. */
  @Clearable()
  @Whole({ min: 0, max: 365 })
  dueDaysBefore?: number | null;

  /** Most characters of a `text`; null for 2,000. */
  @Clearable()
  @Whole({ min: 1, max: 2000 })
  maxLength?: number | null;

  /**
   * Least `integer`; null if there is none.
   * @example 20
   */
  @Clearable()
  @Whole({ min: -MAX_INTEGER, max: MAX_INTEGER })
  min?: number | null;

  /**
   * Greatest `integer`; null if there is none.
   * @example 50
   */
  @Clearable()
  @Whole({ min: -MAX_INTEGER, max: MAX_INTEGER })
  max?: number | null;

  /** The answer of an earlier question without which this one is not asked; null if it is always asked. */
  @Clearable()
  @Nested(() => ShowIfBody)
  showIf?: ShowIfBody | null;

  /** Member of the traveler that is the answer; it is stored there, not as an answer. Null if there is none. */
  @Clearable()
  @OneOf(TRAVELER_FIELDS)
  field?: string | null;

  /** Whether answers are encrypted with the vault and shown to staff with `customers:sensitive` only; false by default. */
  @Optional()
  @Flag()
  sensitive?: boolean;

  /**
   * Whether answers are about health. They need the consent `health_data` and must be `sensitive`; not for units. False by
   * default.
   */
  @Optional()
  @Flag()
  healthData?: boolean;

  /**
   * Place among the questions; by default after all others.
   * @example 2
   */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  position?: number;

  /** Whether it is asked; true by default. */
  @Optional()
  @Flag()
  active?: boolean;
}

/** The fields of a question to change; null clears a field. Each change makes a new version. */
export class UpdateProductQuestion extends patchOf(OmitType(CreateProductQuestion, ['id'] as const)) {}

export class ListProductQuestions extends PageQuery {
  /** Only questions with one of these scopes. */
  @Optional()
  @AnyOf(QUESTION_SCOPES)
  scope?: QuestionScope[];

  /** If true, only questions that are asked; if false, only the others. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'createdAt'])
  sort?: string;
}

/** The texts of a question in one language. */
class ProductQuestionTextResponse {
  /** Language of the texts. */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  locale: string;

  /** The question; null if customers see `label`. */
  @Text({ max: 255 })
  label: string | null;

  /** Explanation below the question; null if there is none. */
  @Text({ max: 1000, multiline: true })
  help: string | null;
}

/** One of the answers to choose from. */
class QuestionChoiceResponse {
  /** The answer as it is stored. */
  @Text({ max: 50, pattern: CHOICE })
  value: string;

  /** What staff see, and customers whose language has no label. */
  @Text({ max: 255 })
  label: string;

  /** Labels in other languages. */
  @ListOf(() => QuestionChoiceText, { max: MAX_LOCALES })
  texts: QuestionChoiceText[];
}

/** What a product asks of those who book it. */
class ProductQuestionResponse {
  @Id('pqst')
  id: string;

  /** Product that asks it. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Who is asked. */
  @OneOf(QUESTION_SCOPES)
  scope: QuestionScope;

  /** Kind of the answer. */
  @OneOf(QUESTION_TYPES)
  type: QuestionType;

  /** The question for staff, and for customers whose language has no text. */
  @Text({ max: 255 })
  label: string;

  /** Explanation below the question; null if there is none. */
  @Text({ max: 1000, multiline: true })
  help: string | null;

  /** Texts for customers, one for each language. */
  @ListOf(() => ProductQuestionTextResponse, { max: MAX_LOCALES })
  texts: ProductQuestionTextResponse[];

  /** The answers to choose from; empty for types without choices. */
  @ListOf(() => QuestionChoiceResponse, { max: MAX_CHOICES })
  choices: QuestionChoiceResponse[];

  /** Whether an answer is needed. */
  @Flag()
  required: boolean;

  /** Days before the departure by which the answer is needed; null if it is needed when the product is booked. */
  @Whole({ min: 0, max: 365 })
  dueDaysBefore: number | null;

  /** Most characters of a `text`; null for 2,000. */
  @Whole({ min: 1, max: 2000 })
  maxLength: number | null;

  /** Least `integer`; null if there is none. */
  @Whole({ min: -MAX_INTEGER, max: MAX_INTEGER })
  min: number | null;

  /** Greatest `integer`; null if there is none. */
  @Whole({ min: -MAX_INTEGER, max: MAX_INTEGER })
  max: number | null;

  /** The answer of an earlier question without which this one is not asked; null if it is always asked. */
  @Nested(() => ShowIfBody)
  showIf: ShowIfBody | null;

  /** Member of the traveler that is the answer; null if there is none. */
  @OneOf(TRAVELER_FIELDS)
  field: string | null;

  /** Whether answers are encrypted with the vault. */
  @Flag()
  sensitive: boolean;

  /** Whether answers are about health. */
  @Flag()
  healthData: boolean;

  /** Place among the questions. */
  @Whole({ min: 0, max: 10_000 })
  position: number;

  /** Whether it is asked. */
  @Flag()
  active: boolean;

  /** Increases with every change. Answers record the version that they answer. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ProductQuestionEnvelope extends dataOf(ProductQuestionResponse) {}
export class ProductQuestionPage extends pageOf(ProductQuestionResponse) {}

/** The changes of a request, with what elements of lists omit. */
export function questionChangesOf({ texts, choices, ...fields }: UpdateProductQuestion): QuestionChanges {
  return {
    ...fields,
    ...(texts && { texts: texts.map(({ locale, label = null, help = null }) => ({ locale, label, help })) }),
    ...(choices && { choices: choices.map(({ value, label, texts: all = [] }) => ({ value, label, texts: all })) }),
  };
}

export function toProductQuestion(question: ProductQuestion): ProductQuestionResponse {
  return respond(ProductQuestionResponse, question, {
    texts: question.texts.map((text) => respond(ProductQuestionTextResponse, text)),
    choices: question.choices.map((choice) => respond(QuestionChoiceResponse, choice)),
  });
}
