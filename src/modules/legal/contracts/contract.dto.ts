import { OmitType } from '@nestjs/swagger';
import { hasScope } from '../../../platform/auth/access.js';
import { dataOf, pageOf, PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Ignored, Nested, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CheckedText, EmailAddress, FreeObject, Instant } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { isDocumentText, MAX_BODY, MAX_FROZEN_BODY, TEXT_RULE } from '../texts/document-text.js';
import {
  type Contract,
  CONTRACT_SCOPES,
  CONTRACT_STATUSES,
  type ContractChanges,
  type ContractScope,
  type ContractStatus,
} from './contract.entity.js';

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
  @CheckedText('isDocumentText', isDocumentText, { max: MAX_BODY, message: TEXT_RULE })
  body?: string;

  /**
   * Language of the text, and of the page and the e-mail with the contract; by default that of the booking, otherwise that of the
   * organization.
   * @example "en"
   */
  @Optional()
  @Text({ min: 2, max: 10 })
  language?: string;

  /**
   * Type of the other party; `customer` by default.
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
   * Time at which public access ends, at most 10 years from now; by default 12 months after the issue.
   * @example null
   */
  @Clearable()
  @Instant()
  publicUntil?: string | null;

  /**
   * Booking that the contract belongs to (prefix `book`).
   * @example null
   */
  @Clearable()
  @Id('book')
  bookingId?: string | null;

  /**
   * Name of the other party.
   * @example "Clara Ionescu"
   */
  @Clearable()
  @Text({ min: 0, max: 255, emptyIsNull: true })
  recipientName?: string | null;

  /**
   * Address to which the contract is sent, unless the dispatch names another one.
   * @example "clara.ionescu@example.com"
   */
  @Clearable()
  @EmailAddress()
  recipientEmail?: string | null;

  /**
   * Arbitrary data of the client, at most 16 KiB and 5 levels deep. The public API never returns it.
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
   * Optional; any value except `draft` is rejected.
   * @example "draft"
   */
  @Optional()
  @OneOf(CONTRACT_STATUSES)
  status?: ContractStatus;
}

/** Changes of a draft contract; fields that are not sent keep their value. */
export class UpdateContract extends patchOf(ContractFields) {}

/** Options for sending a contract by e-mail. */
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
   * Whether to send a contract again that was already sent; false by default.
   * @example false
   */
  @Optional()
  @Flag()
  resend?: boolean;
}

/** The reason for declaring a contract void. */
export class VoidContract {
  /**
   * Reason, stored with the contract and in the action ledger.
   * @example "The customer chose another date"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** The reason for ending public access. */
export class WithdrawContract {
  /**
   * Reason, stored in the action ledger.
   * @example "The link was published by mistake"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

/** The changes with the types of the entity. */
export function changesOf({ expiresAt, publicUntil, ...changes }: UpdateContract): ContractChanges {
  return {
    ...changes,
    ...(expiresAt === undefined ? {} : { expiresAt: instantOf(expiresAt) }),
    ...(publicUntil === undefined ? {} : { publicUntil: instantOf(publicUntil) }),
  };
}

export function instantOf(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}

/** Filters and paging of the list of contracts. */
export class ListContracts extends PageQuery {
  /** Only contracts with one of these statuses. */
  @Optional()
  @AnyOf(CONTRACT_STATUSES)
  status?: ContractStatus[];

  /** Only contracts of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /**
   * Only contracts whose title, number, recipient or address contain each of these words (up to eight), in any order,
   * ignoring case, accents, apostrophes and hyphens.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'title'])
  sort?: string;
}

/** The evidence of a signature by a click. `bodySha256` of the contract is the digest of the signed text. */
class ContractSignatureResponse {
  /** Name as the signer typed it; null once the data was erased. */
  @Text({ max: 200 })
  name: string | null;

  /** What the signer declared, in the language of the page. */
  @Text({ max: 500 })
  statement: string;

  /** Network address of the signer; null if it was not known, or once the data was erased. */
  @Text({ max: 100 })
  address: string | null;

  /** Browser of the signer, as it named itself; null if it did not, or once the data was erased. */
  @Text({ max: 300 })
  userAgent: string | null;
}

/** A contract with its text. */
export class ContractResponse {
  /**
   * Random, unguessable ID. Anyone who knows it can read the contract once it is issued, so it is secret: it is absent for
   * callers without `legal:read`, and when the response is replayed for the same Idempotency-Key.
   */
  @Optional()
  @Text({ max: 30 })
  id?: string | undefined;

  /** Names the contract in events, ledger entries and messages. It grants no access; the paths accept it instead of the ID. */
  @Text({ max: 31 })
  reference: string;

  /** Title of the document. */
  @Text({ max: 500 })
  title: string;

  /** State of the contract. Only a draft can be changed. */
  @OneOf(CONTRACT_STATUSES)
  status: ContractStatus;

  /** Unique number; null until it is set by staff or assigned at issue. */
  @Text({ max: 100 })
  contractNumber: string | null;

  /** HTML text: as sent while it is a draft, sanitized and frozen from the issue on. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  /** SHA-256 of the frozen body (UTF-8) in hexadecimal; null until the contract is issued. */
  @Text({ min: 64, max: 64 })
  bodySha256: string | null;

  /** Language of the text and of the e-mail that sends it. */
  @Text({ min: 2, max: 10 })
  language: string;

  /** Type of the other party. */
  @OneOf(CONTRACT_SCOPES)
  scope: ContractScope;

  /** Time after which an issued or sent contract becomes expired; null if it never does. */
  @Instant()
  expiresAt: string | null;

  /** Time at which public access ends; null in a draft that does not set it. */
  @Instant()
  publicUntil: string | null;

  /** Time at which staff ended public access; null until then. */
  @Instant()
  withdrawnAt: string | null;

  /** The booking that the contract belongs to; null if there is none. */
  @Id('book')
  bookingId: string | null;

  /** Name of the other party; null if not set. */
  @Text({ max: 255 })
  recipientName: string | null;

  /** Address to which the contract is sent; a dispatch to another address replaces it. Null if not set. */
  @EmailAddress()
  recipientEmail: string | null;

  /** Arbitrary data of the client, which the public API never returns; null if not set. */
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata: Record<string, unknown> | null;

  /** Time of issue; null in a draft. */
  @Instant()
  issuedAt: string | null;

  /** Time of the first dispatch; null if it was never sent. */
  @Instant()
  sentAt: string | null;

  /** Time at which the other party signed; null until then. */
  @Instant()
  signedAt: string | null;

  /** How the other party signed; null until then. */
  @Nested(() => ContractSignatureResponse)
  signature: ContractSignatureResponse | null;

  /** Time when it became expired; null until then. */
  @Instant()
  expiredAt: string | null;

  /** Time when it was declared void; null until then. */
  @Instant()
  voidedAt: string | null;

  /** Reason given when it was declared void; null until then. */
  @Text({ max: 2000 })
  voidReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Columns that lists read. */
export const LISTED_COLUMNS = [
  ...(['id', 'publicId', 'title', 'status', 'contractNumber', 'language', 'scope', 'expiresAt'] as const),
  ...(['publicUntil', 'withdrawnAt', 'bookingId', 'recipientName'] as const),
  ...(['recipientEmail', 'issuedAt', 'sentAt', 'signedAt', 'version', 'createdAt', 'updatedAt'] as const),
];
export type ListedContract = Pick<Contract, (typeof LISTED_COLUMNS)[number]>;

/** A contract as lists return it, without text and metadata. */
export class ContractSummary extends OmitType(ContractResponse, [
  'body',
  'bodySha256',
  'metadata',
  'signature',
  'expiredAt',
  'voidedAt',
  'voidReason',
] as const) {}

export function toContract(contract: Contract): ContractResponse {
  return respond(ContractResponse, contract, {
    id: shownId(contract),
    reference: contract.id,
    signature: signatureOf(contract),
  });
}

function signatureOf(contract: Contract): ContractSignatureResponse | null {
  const { signerName: name, signedStatement: statement, signerAddress: address, signerAgent: userAgent } = contract;
  return statement === null ? null : { name, statement, address, userAgent };
}

export function toContractSummary(contract: ListedContract): ContractSummary {
  return respond(ContractSummary, contract, { id: shownId(contract), reference: contract.id });
}

function shownId({ publicId }: Pick<Contract, 'publicId'>): string | undefined {
  return hasScope('legal:read') ? publicId : undefined;
}

export class ContractEnvelope extends dataOf(ContractResponse) {}
/** A contract in a list, with names beside its IDs. */
class ContractRow extends withNames(ContractSummary, 'bookingId') {}

export class ContractPage extends pageOf(ContractRow) {}
