import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { digestOf } from './contract-body.js';
import type { Contract } from './contract.entity.js';

type Verb = 'create' | 'update' | 'issue' | 'send' | 'expire' | 'void';
type Fact = 'issued' | 'sent' | 'expired' | 'voided';

/** Facts of a contract that the ledger keeps. Neither the parties' data nor the text: its digest proves it. */
export function factsOf(contract: Contract): object {
  return {
    title: contract.title,
    status: contract.status,
    contractNumber: contract.contractNumber,
    bodySha256: contract.bodySha256 ?? digestOf(contract.body),
    language: contract.language,
    scope: contract.scope,
    expiresAt: contract.expiresAt?.toISOString() ?? null,
    version: contract.version,
  };
}

/** Writes down, in the running transaction, what happened to a contract: for the ledger, and for whoever listens. */
@Injectable()
export class ContractJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(verb: Verb, contractId: string, entry: { before: object | null; after: object; reason?: string }): void {
    this.ledger.record(`legal.contract.${verb}`, { subjectType: 'contract', subjectId: contractId, ...entry });
  }

  announce(fact: Fact, contract: { id: string; contractNumber: string | null; version: number }): void {
    this.outbox.add({
      channel: 'legal.contracts',
      event: `contract.${fact}`,
      data: { contractId: contract.id, contractNumber: contract.contractNumber, version: contract.version },
    });
  }
}
