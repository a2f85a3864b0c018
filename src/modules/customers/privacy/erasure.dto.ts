import { PERSONAL_DATA, type PersonalData } from '../../../platform/database/table-declarations.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { ERASURE_STATUSES, type ErasureStatus, type PlannedData } from './erasure.entity.js';
import type { ErasureStep, ErasureView } from './erasures.service.js';
import { ERASURE_BLOCKERS, type ErasureBlocker } from './personal-data-holder.js';

const CLASSES = named('PersonalDataClass', PERSONAL_DATA);
const ACTIONS = named('ErasureAction', ['erase', 'keep']);
const MAX_KINDS = 100;
const MAX_RECORDS = 1_000_000_000;

/** A request to erase what is known about a customer. */
export class PlanErasure {
  /**
   * Why the data is erased, such as the request of the person. It is kept as evidence.
   * @example "Request by letter of 3 March"
   */
  @Text({ max: 500 })
  reason: string;
}

/** What an erasure does with the records of one kind. */
export class ErasurePlanResponse {
  /**
   * Module that stores the records.
   * @example "bookings"
   */
  @Text({ max: 50 })
  module: string;

  /** Class of the data, which decides how long it is kept. */
  @OneOf(CLASSES)
  dataClass: PersonalData;

  /**
   * Kind of the records.
   * @example "travelers"
   */
  @Text({ max: 50 })
  kind: string;

  /** Number of records. */
  @Whole({ min: 0, max: MAX_RECORDS })
  count: number;

  /** Whether they are erased at once, or kept for the rest of their retention period. */
  @OneOf(ACTIONS)
  action: (typeof ACTIONS)[number];

  /** Last day for which they are kept; null if they are erased. */
  @IsoDate()
  keptUntil: string | null;
}

/** The outcome in one module. */
export class ErasureStepResponse {
  /**
   * Module whose records the step erases.
   * @example "trips"
   */
  @Text({ max: 50 })
  module: string;

  /** Records that were erased; null until the step is done. */
  @Whole({ min: 0, max: MAX_RECORDS })
  erasedRecords: number | null;

  /** When the step was done; null until then. */
  @Instant()
  finishedAt: string | null;
}

/** The erasure of a customer's data. */
export class ErasureResponse {
  @Id('eras')
  id: string;

  /** Customer whose data it erases (prefix `cus`). */
  @Id('cus')
  customerId: string;

  /** Why the data is erased. */
  @Text({ max: 500 })
  reason: string;

  /** `running` from its execution until the last module is done. */
  @OneOf(ERASURE_STATUSES)
  status: ErasureStatus;

  /** What it erases and what it keeps, as of the plan or the execution. */
  @ListOf(() => ErasurePlanResponse, { max: MAX_KINDS })
  plan: ErasurePlanResponse[];

  /** Reasons that prevent the execution now; empty once it has begun. */
  @Texts({ max: 10, maxLength: 20, pattern: patternOf(ERASURE_BLOCKERS), otherwise: 'must be a reason' })
  blockers: ErasureBlocker[];

  /** Modules in the order in which they are erased; empty until the execution. */
  @ListOf(() => ErasureStepResponse, { max: MAX_KINDS })
  steps: ErasureStepResponse[];

  /** When it was executed; null before. */
  @Instant()
  startedAt: string | null;

  /** When the last module was done; null before. */
  @Instant()
  finishedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toErasure({ erasure, steps, blockers }: ErasureView): ErasureResponse {
  const plan = erasure.plan.map(toPlan);
  return respond(ErasureResponse, erasure, { plan, blockers, steps: steps.map(toStep) });
}

function toPlan(planned: PlannedData): ErasurePlanResponse {
  return { ...planned, action: planned.keptUntil === null ? 'erase' : 'keep' };
}

function toStep({ module, erasedRecords, finishedAt }: ErasureStep): ErasureStepResponse {
  return { module, erasedRecords, finishedAt: finishedAt?.toISOString() ?? null };
}

export class ErasureEnvelope extends dataOf(ErasureResponse) {}
