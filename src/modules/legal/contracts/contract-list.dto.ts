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

/** Filters and paging of the list of contracts. */
export class ListContracts extends PageQuery {
  /** Only contracts with this status. */
  @Optional()
  @OneOf(CONTRACT_STATUSES)
  status?: ContractStatus;

  /** Only contracts with this text in the title, the number or the recipient's name, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Order of the list; `-createdAt` (newest first) by default. */
  @Optional()
  @SortBy(['createdAt', 'title'])
  sort?: string;
}

/** A contract as lists return it, without text and metadata. */
export class ContractSummary {
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

  /** Address for sending the contract; null if not set. */
  @EmailAddress()
  recipientEmail: string | null;

  /** Time of issue; null in a draft. */
  @Instant()
  issuedAt: string | null;

  /** Time of the first dispatch; null if it was never sent. */
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
