import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reversals } from '../../action-ledger/index.js';
import { ContractTransitions } from './contract-transitions.service.js';

/** A contract that was issued or sent by mistake is void: its number stays given, and what was sent is with its reader. */
@Injectable()
export class ContractUndos implements OnModuleInit {
  constructor(
    private readonly reversals: Reversals,
    private readonly transitions: ContractTransitions,
  ) {}

  onModuleInit(): void {
    for (const action of ['legal.contract.issue', 'legal.contract.send']) {
      this.reversals.register(action, { reverse: ({ subjectId }, reason) => this.transitions.undo(subjectId, reason) });
    }
  }
}
