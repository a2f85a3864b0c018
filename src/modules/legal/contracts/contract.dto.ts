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

const TEXT_RULE = '$property must be HTML of at most 20000 tags and 500 open elements, without control characters';

class ContractFields {
  /**
   * Title of the document.
   * @example "Travel contract Dolomites 2027"
   */
  @Text({ max: 500 })
  title: string;

  /**
   * Unique number. If it is not set in the draft, `C-<year>-<5 digits>` is assigned at issue.
   * @example null
   */
  @Clearable()
  @Text({ min: 0, max: 100, emptyIsNull: true })
  contractNumber?: string | null;

  /**
   * HTML text. At issue all active, external and styling content is removed and the result is frozen.
   * @example "<h1>Travel contract</h1><p>Seven days in the Dolomites.</p>"
   */
  @Optional()
  @Worded('isContractText', isContractText, { max: MAX_BODY, message: TEXT_RULE })
  body?: string;

  /**
   * Language of the text; `en` by default.
   * @example "en"
   */
  @Optional()
  @Text({ min: 2, max: 10 })
  language?: string;

  /**
   * Type of party that the contract is with; `customer` by default.
   * @example "customer"
   */
  @Optional()
  @OneOf(CONTRACT_SCOPES)
  scope?: ContractScope;

  /**
   * Time after which an issued or sent contract becomes expired; null if it never does.
   * @example "2099-12-31T23:00:00Z"
   */
  @Clearable()
  @Instant()
  expiresAt?: string | null;

  /**
   * Name of the other party.
   * @example "Clara Ionescu"
   */
  @Clearable()
  @Text({ min: 0, max: 255, emptyIsNull: true })
  recipientName?: string | null;

  /**
   * Address for sending the contract unless the dispatch names another one.
   * @example "clara.ionescu@example.com"
   */
  @Clearable()
  @EmailAddress()
  recipientEmail?: string | null;

  /**
   * Free data of the client, at most 16 KiB and 5 levels deep. Never returned by the public API.
   * @example { "source": "web" }
   */
  @Clearable()
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata?: Record<string, unknown> | null;
}

/** A new contract in status `draft`. */
export class CreateContract extends ContractFields {
  @Ignored()
  id?: string;

  /**
   * May be sent for symmetry; any value but `draft` is rejected.
   * @example "draft"
   */
  @Optional()
  @OneOf(CONTRACT_STATUSES)
  status?: ContractStatus;
}

/** Changes of a draft contract; fields that are not sent keep their value. */
export class UpdateContract extends patchOf(ContractFields) {}

/** How to send a contract by e-mail. */
export class DispatchContract {
  /**
   * Address for this and later dispatches; the stored address by default.
   * @example "clara.ionescu@example.com"
   */
  @Clearable()
  @EmailAddress()
  recipientEmail?: string | null;

  /**
   * Subject of the e-mail; a standard text by default.
   * @example "Your travel contract"
   */
  @Optional()
  @Text({ max: 500 })
  subject?: string;

  /**
   * Text of the e-mail before the link; a standard text by default.
   * @example "Please find your contract under the link."
   */
  @Optional()
  @Text({ max: 10_000, multiline: true })
  message?: string;

  /**
   * Whether to send a contract again that was sent before; false by default.
   * @example false
   */
  @Optional()
  @Flag()
  resend?: boolean;
}

/** The reason for declaring a contract void. */
export class VoidContract {
  /**
   * Stored with the contract and in the action ledger.
   * @example "The customer chose another date"
   */
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
