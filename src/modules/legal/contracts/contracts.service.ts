import { Injectable } from '@nestjs/common';
import { Brackets } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { type CreateContract, instantOf, termsOf, type UpdateContract } from './contract.dto.js';
import { newContractId } from './contract-id.js';
import { ContractJournal, factsOf } from './contract-journal.js';
import { LISTED, type ListContracts, type ListedContract } from './contract-list.dto.js';
import { reserveChosenNumber } from './contract-numbers.js';
import { Contract } from './contract.entity.js';

mapConstraint('contracts_contract_number', () =>
  conflict('contract_number_taken', 'Another contract already has this number'),
);

@Injectable()
export class Contracts {
  constructor(
    private readonly database: Database,
    private readonly journal: ContractJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 409 `contract_number_taken`, 422 `invalid_initial_status`. */
  async create(input: CreateContract, id = newContractId()): Promise<Contract> {
    const { status = 'draft' } = input;
    if (status !== 'draft') throw unprocessable('invalid_initial_status', 'A new contract must have the status draft');
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const contract = make(Contract, {
        id,
        title: input.title,
        status,
        contractNumber: input.contractNumber ?? null,
        body: input.body ?? '',
        bodySha256: null,
        language: input.language ?? 'en',
        scope: input.scope ?? 'customer',
        expiresAt: instantOf(input.expiresAt),
        recipientName: input.recipientName ?? null,
        recipientEmail: input.recipientEmail ?? null,
        metadata: input.metadata ?? null,
        issuedAt: null,
        sentAt: null,
        expiredAt: null,
        voidedAt: null,
        voidReason: null,
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      await reserveChosenNumber(this.database, contract.contractNumber);
      await this.database.insert(contract);
      this.journal.record('create', id, { before: null, after: factsOf(contract) });
      return contract;
    });
  }

  /** Without the texts: a page of two hundred contracts stays a page. */
  async list(query: ListContracts): Promise<{ contracts: ListedContract[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { status, search, sort = '-createdAt' } = query;
    const found = this.database.repository(Contract).createQueryBuilder('contract');
    found.select(LISTED.map((column) => `contract.${column}`));
    if (status !== undefined) found.andWhere('contract.status = :status', { status });
    if (search !== undefined) found.andWhere(mentions(search));
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`contract.${sort.replace('-', '')}`, direction).addOrderBy('contract.id', direction);
    const [contracts, total] = await found.limit(limit).offset(offset).getManyAndCount();
    return { contracts, total };
  }

  /** Throws 404. */
  async get(id: string): Promise<Contract> {
    const contract = await this.database.repository(Contract).findOneBy({ id });
    return contract ?? refuseUnknown();
  }

  /** Throws 404, 409 `contract_locked`, `contract_number_taken`, 412. */
  async update(id: string, changes: UpdateContract, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      const before = factsOf(contract);
      contract.change(termsOf(changes), this.clock.now());
      await reserveChosenNumber(this.database, contract.contractNumber);
      await this.database.update(contract);
      const after = { ...factsOf(contract), changed: Object.keys(changes) };
      this.journal.record('update', id, { before, after });
      return contract;
    });
  }

  /** The contract, held until the running transaction ends. Throws 404, 412. */
  async lock(id: string, expected: ExpectedVersions): Promise<Contract> {
    const contract = await this.database.lock(Contract, id);
    if (!contract) return refuseUnknown();
    assertVersion(expected, contract);
    return contract;
  }
}

function mentions(text: string): Brackets {
  const columns = ['title', 'contractNumber', 'recipientName'];
  const pattern = containing(text);
  return new Brackets((where) => {
    for (const column of columns) where.orWhere(`contract.${column} ilike :pattern`, { pattern });
  });
}

function refuseUnknown(): never {
  throw notFound();
}
