import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import {
  CONTRACT_SCOPES,
  CONTRACT_STATUSES,
  type Contract,
  type ContractScope,
  type ContractStatus,
} from './contract.entity.js';

/** The columns that a list shows: all but the text and the metadata, which may be large. */
export const LISTED = [
  ...(['id', 'title', 'status', 'contractNumber', 'language', 'scope', 'expiresAt', 'recipientName'] as const),
  ...(['recipientEmail', 'issuedAt', 'sentAt', 'version', 'createdAt', 'updatedAt'] as const),
];

export type ListedContract = Pick<Contract, (typeof LISTED)[number]>;

export class ListContracts extends PageQuery {
  @Optional()
  @OneOf(CONTRACT_STATUSES)
  status?: ContractStatus;

  /** Part of the title, the number or the recipient's name, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `-createdAt` unless given. */
  @Optional()
  @SortBy(['createdAt', 'title'])
  sort?: string;
}

export class ContractSummary {
  @Text({ max: 30 })
  id: string;

  @Text({ max: 500 })
  title: string;

  @OneOf(CONTRACT_STATUSES)
  status: ContractStatus;

  @Text({ max: 100 })
  contractNumber: string | null;

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

  @Instant()
  issuedAt: string | null;

  @Instant()
  sentAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSummary(contract: ListedContract): ContractSummary {
  return {
    id: contract.id,
    title: contract.title,
    status: contract.status,
    contractNumber: contract.contractNumber,
    language: contract.language,
    scope: contract.scope,
    expiresAt: contract.expiresAt?.toISOString() ?? null,
    recipientName: contract.recipientName,
    recipientEmail: contract.recipientEmail,
    issuedAt: contract.issuedAt?.toISOString() ?? null,
    sentAt: contract.sentAt?.toISOString() ?? null,
    version: contract.version,
    createdAt: contract.createdAt.toISOString(),
    updatedAt: contract.updatedAt.toISOString(),
  };
}

export class ContractPage extends pageOf(ContractSummary) {}
