import { dataOf } from '../../../platform/http/dto.js';
import { OneOf, Text, Version } from '../../../platform/http/fields.js';
import { EmailAddress, FreeObject, Instant } from '../../../platform/http/trade-fields.js';
import { MAX_FROZEN_BODY } from './contract-body.js';
import {
  CONTRACT_SCOPES,
  CONTRACT_STATUSES,
  type Contract,
  type ContractScope,
  type ContractStatus,
} from './contract.entity.js';

/** A contract with its text. */
export class ContractResponse {
  /** Random, unguessable ID. Anyone who knows it can read the contract once it is issued. */
  @Text({ max: 30 })
  id: string;

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

  /** Type of party that the contract is with. */
  @OneOf(CONTRACT_SCOPES)
  scope: ContractScope;

  /** Time after which an issued or sent contract becomes expired; null if it never does. */
  @Instant()
  expiresAt: string | null;

  /** Name of the other party; null if not set. */
  @Text({ max: 255 })
  recipientName: string | null;

  /** Address for sending the contract; a dispatch to another address replaces it. Null if not set. */
  @EmailAddress()
  recipientEmail: string | null;

  /** Free data of the client, never returned by the public API; null if not set. */
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata: Record<string, unknown> | null;

  /** Time of issue; null in a draft. */
  @Instant()
  issuedAt: string | null;

  /** Time of the first dispatch; null if it was never sent. */
  @Instant()
  sentAt: string | null;

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

export function toContract(contract: Contract): ContractResponse {
  return {
    id: contract.id,
    title: contract.title,
    status: contract.status,
    contractNumber: contract.contractNumber,
    body: contract.body,
    bodySha256: contract.bodySha256,
    language: contract.language,
    scope: contract.scope,
    expiresAt: contract.expiresAt?.toISOString() ?? null,
    recipientName: contract.recipientName,
    recipientEmail: contract.recipientEmail,
    metadata: contract.metadata,
    issuedAt: contract.issuedAt?.toISOString() ?? null,
    sentAt: contract.sentAt?.toISOString() ?? null,
    expiredAt: contract.expiredAt?.toISOString() ?? null,
    voidedAt: contract.voidedAt?.toISOString() ?? null,
    voidReason: contract.voidReason,
    version: contract.version,
    createdAt: contract.createdAt.toISOString(),
    updatedAt: contract.updatedAt.toISOString(),
  };
}

export class ContractEnvelope extends dataOf(ContractResponse) {}
