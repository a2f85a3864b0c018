import { dataOf } from '../../../platform/http/dto.js';
import { OneOf, Text } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { MAX_FROZEN_BODY } from '../texts/document-text.js';
import { CONTRACT_STATUSES } from './contract.entity.js';

const SHOWN = CONTRACT_STATUSES.filter((status) => status !== 'draft' && status !== 'void');
export type ShownStatus = Exclude<(typeof CONTRACT_STATUSES)[number], 'draft' | 'void'>;

/** The part of an issued contract that its recipient may read. */
export class PublicContract {
  /** The requested ID. */
  @Text({ max: 30 })
  id: string;

  /** Title of the document. */
  @Text({ max: 500 })
  title: string;

  /** State of the contract; drafts and void contracts are never returned. */
  @OneOf(SHOWN)
  status: ShownStatus;

  /** Unique number, assigned at issue unless staff set it before. */
  @Text({ max: 100 })
  contractNumber: string;

  /** Sanitized HTML, unchanged since the contract was issued. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  /** Language of the text. */
  @Text({ min: 2, max: 10 })
  language: string;
}

export function toPublicContract(contract: PublicContract): PublicContract {
  return respond(PublicContract, contract);
}

export class PublicContractEnvelope extends dataOf(PublicContract) {}
