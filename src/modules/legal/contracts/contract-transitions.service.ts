import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import type { DispatchContract } from './contract.dto.js';
import { ContractJournal, factsOf } from './contract-journal.js';
import { nextContractNumber } from './contract-numbers.js';
import type { Contract } from './contract.entity.js';
import { Contracts } from './contracts.service.js';

interface Images {
  before: object;
  after: object;
}

/** What staff do to a contract once it is written: issue it, send it, declare it void. */
@Injectable()
export class ContractTransitions {
  constructor(
    private readonly database: Database,
    private readonly contracts: Contracts,
    private readonly journal: ContractJournal,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  /** Freezes the text and gives the number. Throws 404, 409 `invalid_transition`, 412. */
  async issue(id: string, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.contracts.lock(id, expected);
      contract.assertCanBecome('issued');
      const before = factsOf(contract);
      const now = this.clock.now();
      const year = this.clock.dayOf(now).slice(0, 4);
      contract.issue(contract.contractNumber ?? (await nextContractNumber(this.database, year)), now);
      await this.database.update(contract);
      this.journal.record('issue', id, { before, after: factsOf(contract) });
      this.journal.announce('issued', contract);
      return contract;
    });
  }

  /**
   * Sends it by e-mail to the given address, else to the recipient's. A sent one stays as it is, unless it is to be
   * sent once more. Throws 404, 409 `invalid_transition`, `no_recipient`, 412.
   */
  async dispatch(id: string, dispatch: DispatchContract, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.contracts.lock(id, expected);
      const wasSent = contract.status === 'sent';
      if (!wasSent || dispatch.resend === true) await this.send(contract, dispatch);
      if (!wasSent) this.journal.announce('sent', contract);
      return contract;
    });
  }

  /** Throws 404, 409 `invalid_transition`, 412. */
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.contracts.lock(id, expected);
      const images = await this.declareVoid(contract, reason);
      this.journal.record('void', id, { ...images, reason });
      return contract;
    });
  }

  /** Undoes its issue or dispatch; the reversal's entry says so. Throws 404, 409 `invalid_transition`. */
  async undo(id: string, reason: string): Promise<Images> {
    return this.declareVoid(await this.contracts.lock(id, null), reason);
  }

  private async declareVoid(contract: Contract, reason: string): Promise<Images> {
    const before = factsOf(contract);
    contract.void(reason, this.clock.now());
    await this.database.update(contract);
    this.journal.announce('voided', contract);
    return { before, after: factsOf(contract) };
  }

  private async send(contract: Contract, dispatch: DispatchContract): Promise<void> {
    if (contract.status !== 'sent') contract.assertCanBecome('sent');
    const recipientEmail = dispatch.recipientEmail ?? contract.recipientEmail;
    if (recipientEmail === null) throw conflict('no_recipient', 'The contract has no recipient e-mail address');

    const before = factsOf(contract);
    contract.send(recipientEmail, this.clock.now());
    await this.database.update(contract);
    // The mail leaves if and only if the contract became sent. Personal data stands in the job, never in an event.
    await this.jobs.add('mail.send', {
      kind: 'contract',
      messageId: newId('nmsg'),
      contractId: contract.id,
      title: contract.title,
      recipientEmail,
      recipientName: contract.recipientName,
      subject: dispatch.subject ?? null,
      message: dispatch.message ?? null,
      language: contract.language,
    });
    this.journal.record('send', contract.id, { before, after: factsOf(contract) });
  }
}
