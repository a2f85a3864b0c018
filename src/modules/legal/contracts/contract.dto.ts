import { patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Ignored, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { EmailAddress, FreeObject, Instant, Worded } from '../../../platform/http/trade-fields.js';
import { isContractText, MAX_BODY } from './contract-body.js';
import {
  CONTRACT_SCOPES,
  CONTRACT_STATUSES,
  type ContractScope,
  type ContractStatus,
  type ContractTerms,
} from './contract.entity.js';

const TEXT_RULE = '$property must be HTML of at most 20000 tags, without control characters';

class ContractFields {
  /** @example "Travel contract Dolomites 2027" */
  @Text({ max: 500 })
  title: string;

  /** Unique; given at issue as `C-<year>-<5 digits>` unless set in draft.
   * @example null */
  @Clearable()
  @Text({ min: 0, max: 100, emptyIsNull: true })
  contractNumber?: string | null;

  /** HTML. At issue it is stripped of whatever could run, load or restyle, and frozen.
   * @example "<h1>Travel contract</h1><p>Seven days in the Dolomites.</p>" */
  @Optional()
  @Worded('isContractText', isContractText, { max: MAX_BODY, message: TEXT_RULE })
  body?: string;

  /** `en` unless given.
   * @example "en" */
  @Optional()
  @Text({ min: 2, max: 10 })
  language?: string;

  /** Whom the contract is with; `customer` unless given.
   * @example "customer" */
  @Optional()
  @OneOf(CONTRACT_SCOPES)
  scope?: ContractScope;

  /** Issued and sent contracts expire once this has passed.
   * @example "2099-12-31T23:00:00Z" */
  @Clearable()
  @Instant()
  expiresAt?: string | null;

  /** @example "Clara Ionescu" */
  @Clearable()
  @Text({ min: 0, max: 255, emptyIsNull: true })
  recipientName?: string | null;

  /** Where a dispatch goes unless it names another address.
   * @example "clara.ionescu@example.com" */
  @Clearable()
  @EmailAddress()
  recipientEmail?: string | null;

  /** At most 16 KiB and 5 levels; never shown to the public.
   * @example { "source": "web" } */
  @Clearable()
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata?: Record<string, unknown> | null;
}

export class CreateContract extends ContractFields {
  @Ignored()
  id?: string;

  /** A new contract is a draft.
   * @example "draft" */
  @Optional()
  @OneOf(CONTRACT_STATUSES)
  status?: ContractStatus;
}

export class UpdateContract extends patchOf(ContractFields) {}

export class DispatchContract {
  /** The recipient's address unless given; kept as the recipient's from then on.
   * @example "clara.ionescu@example.com" */
  @Clearable()
  @EmailAddress()
  recipientEmail?: string | null;

  /** @example "Your travel contract" */
  @Optional()
  @Text({ max: 500 })
  subject?: string;

  /** @example "Please find your contract under the link." */
  @Optional()
  @Text({ max: 10_000, multiline: true })
  message?: string;

  /** Sends a contract that was sent before once more.
   * @example false */
  @Optional()
  @Flag()
  resend?: boolean;
}

export class VoidContract {
  /** Kept with the contract and in the action ledger.
   * @example "The customer chose another date" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** What a body says of a contract, as the contract keeps it. */
export function termsOf({ expiresAt, ...terms }: UpdateContract): Partial<ContractTerms> {
  return expiresAt === undefined ? terms : { ...terms, expiresAt: instantOf(expiresAt) };
}

export function instantOf(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}
