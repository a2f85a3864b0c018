import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type Consent, CONSENT_PURPOSES, type ConsentPurpose } from './consent.entity.js';

/** A consent that a customer gave or withdrew. */
export class CreateConsent {
  /**
   * What the customer consents to.
   * @example "marketing_email"
   */
  @OneOf(CONSENT_PURPOSES)
  purpose: ConsentPurpose;

  /**
   * False for a withdrawal.
   * @example true
   */
  @Flag()
  granted: boolean;

  /**
   * How the customer gave or withdrew it: the evidence.
   * @example "paper form, signed at the desk"
   */
  @Text({ max: 500 })
  source: string;

  /**
   * Version of the text that the customer saw.
   * @example "2026-03"
   */
  @Optional()
  @Text({ max: 100 })
  textVersion?: string;

  /** When it was given; now by default, never in the future. */
  @Optional()
  @Instant()
  givenAt?: string;
}

export class ListConsents extends PageQuery {
  /** Only consents to one of these purposes. */
  @Optional()
  @AnyOf(CONSENT_PURPOSES)
  purpose?: ConsentPurpose[];

  /** Sort field, `-givenAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['givenAt', 'createdAt'])
  sort?: string;
}

/** A consent that a customer gave or withdrew. */
export class ConsentResponse {
  @Id('cons')
  id: string;

  /** Customer who gave it (prefix `cus`): this one, or a duplicate that was merged into it. */
  @Id('cus')
  customerId: string;

  /** What the customer consents to. */
  @OneOf(CONSENT_PURPOSES)
  purpose: ConsentPurpose;

  /** False for a withdrawal. */
  @Flag()
  granted: boolean;

  /** How the customer gave or withdrew it: the evidence. */
  @Text({ max: 500 })
  source: string;

  /** Version of the text that the customer saw; null if unknown. */
  @Text({ max: 100 })
  textVersion: string | null;

  /**
   * Duplicate (prefix `cus`) of a withdrawal that a merge recorded, because a withdrawal beats a grant; null for a consent that the
   * customer gave or withdrew. It counts while that duplicate is merged.
   */
  @Id('cus')
  carriedFromId: string | null;

  /** When it was given. */
  @Instant()
  givenAt: string;

  /** Whether it is the newest one of its purpose, which counts. */
  @Flag()
  isCurrent: boolean;

  @Instant()
  createdAt: string;
}

/** A consent, and whether it is the newest one of its purpose. */
export interface ListedConsent {
  consent: Consent;
  isCurrent: boolean;
}

export function toConsent({ consent, isCurrent }: ListedConsent): ConsentResponse {
  return respond(ConsentResponse, consent, { isCurrent });
}

export class ConsentEnvelope extends dataOf(ConsentResponse) {}
export class ConsentPage extends pageOf(ConsentResponse) {}
