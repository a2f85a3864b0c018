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

export class ContractResponse {
  /** Random: whoever knows it may read the contract once it is issued. */
  @Text({ max: 30 })
  id: string;

  @Text({ max: 500 })
  title: string;

  @OneOf(CONTRACT_STATUSES)
  status: ContractStatus;

  @Text({ max: 100 })
  contractNumber: string | null;

  /** HTML: as written in a draft, harmless and frozen from the issue on. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  /** SHA-256 of the frozen body's UTF-8, in hexadecimal; null until it is issued. */
  @Text({ min: 64, max: 64 })
  bodySha256: string | null;

  @Text({ min: 2, max: 10 })
  language: string;

  @OneOf(CONTRACT_SCOPES)
  scope: ContractScope;

  @Instant()
  expiresAt: string | null;

  @Text({ max: 255 })
  recipientName: string | null;

  @EmailAddress()
  recipientEmail: string | null;

  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata: Record<string, unknown> | null;

  @Instant()
  issuedAt: string | null;

  /** When it was sent for the first time. */
  @Instant()
  sentAt: string | null;

  @Instant()
  expiredAt: string | null;

  @Instant()
  voidedAt: string | null;

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
