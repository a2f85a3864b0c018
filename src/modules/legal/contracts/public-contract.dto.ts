import { dataOf } from '../../../platform/http/dto.js';
import { OneOf, Text } from '../../../platform/http/fields.js';
import { MAX_FROZEN_BODY } from './contract-body.js';
import { CONTRACT_STATUSES } from './contract.entity.js';

const SHOWN = CONTRACT_STATUSES.filter((status) => status !== 'draft' && status !== 'void');
export type ShownStatus = Exclude<(typeof CONTRACT_STATUSES)[number], 'draft' | 'void'>;

/** Exactly six members: whatever else we know of a contract is internal. */
export class PublicContract {
  /** The id by which it was asked for. */
  @Text({ max: 30 })
  id: string;

  @Text({ max: 500 })
  title: string;

  @OneOf(SHOWN)
  status: ShownStatus;

  @Text({ max: 100 })
  contractNumber: string;

  /** HTML, harmless, and never changed since the contract was issued. */
  @Text({ min: 0, max: MAX_FROZEN_BODY })
  body: string;

  @Text({ min: 2, max: 10 })
  language: string;
}

export function toPublicContract(contract: PublicContract): PublicContract {
  return {
    id: contract.id,
    title: contract.title,
    status: contract.status,
    contractNumber: contract.contractNumber,
    body: contract.body,
    language: contract.language,
  };
}

export class PublicContractEnvelope extends dataOf(PublicContract) {}
