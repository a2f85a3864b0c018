import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import { shownAddress } from '../messages/mask-address.js';
import {
  type Suppression,
  SUPPRESSION_REASONS,
  SUPPRESSION_SCOPES,
  type SuppressionReason,
  type SuppressionScope,
} from './suppression.entity.js';

const MAX_REASON = 500;

/** A new suppression of an address. */
export class CreateSuppression {
  @Ignored()
  id?: undefined;

  /** @example "no-mail@example.com" */
  @EmailAddress()
  address: string;

  /** `all` mails (the default), or `marketing` only. */
  @Optional()
  @OneOf(SUPPRESSION_SCOPES)
  scope?: SuppressionScope;
}

/** Why a suppression is lifted. */
export class LiftSuppression {
  /**
   * Why mails reach the address again.
   * @example "The customer has emptied the mailbox"
   */
  @Text({ max: MAX_REASON, multiline: true })
  reason: string;
}

/** Filters and paging of the list of suppressions. */
export class ListSuppressions extends PageQuery {
  /** Only suppressions of this address, also if it was erased; the case does not matter. */
  @Optional()
  @Text({ max: 255 })
  address?: string;

  /** Only suppressions of these scopes. */
  @Optional()
  @AnyOf(SUPPRESSION_SCOPES)
  scope?: SuppressionScope[];

  /** Only suppressions for one of these reasons. */
  @Optional()
  @AnyOf(SUPPRESSION_REASONS)
  reason?: SuppressionReason[];

  /** Only suppressions in force (`true`) or lifted ones (`false`). */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Only suppressions created at or after this time. */
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only suppressions created before this time. */
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

/** An address that gets no mail, or no marketing mail, until the suppression is lifted. */
export class SuppressionResponse {
  @Id('msup')
  id: string;

  /** Suppressed address in lower case, masked without the scope `customers:read`; null after the person was erased. */
  @Text({ max: 260 })
  address: string | null;

  /** `all` mails, or `marketing` only. */
  @OneOf(SUPPRESSION_SCOPES)
  scope: SuppressionScope;

  /**
   * `hard_bounce`: a mail server rejected the address, or three mails to it were returned within 14 days; `complaint`: the recipient
   * reported a mail as spam; `unsubscribed`: the recipient wants no marketing; `manual`: staff added it; `erasure`: the data of the
   * person was erased.
   */
  @OneOf(SUPPRESSION_REASONS)
  reason: SuppressionReason;

  /** Message that caused it; null if none did. */
  @Id('nmsg')
  messageId: string | null;

  /** User who added it (prefix `user`), or `system`. */
  @Text({ max: 100 })
  createdBy: string;

  /** When it was lifted; null while it is in force. */
  @Instant()
  liftedAt: string | null;

  /** User who lifted it (prefix `user`); null while it is in force. */
  @Text({ max: 100 })
  liftedBy: string | null;

  /** Why it was lifted; null while it is in force, and after the person was erased. */
  @Text({ max: MAX_REASON, multiline: true })
  liftReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSuppression(suppression: Suppression): SuppressionResponse {
  const { address } = suppression;
  const shown = address === null ? null : shownAddress(address);
  return respond(SuppressionResponse, suppression, { address: shown });
}

export class SuppressionEnvelope extends dataOf(SuppressionResponse) {}
export class SuppressionPage extends pageOf(SuppressionResponse) {}
