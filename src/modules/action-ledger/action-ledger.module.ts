import { Module } from '@nestjs/common';
import { ActionLedger } from './action-ledger.service.js';

@Module({ providers: [ActionLedger], exports: [ActionLedger] })
export class ActionLedgerModule {}
