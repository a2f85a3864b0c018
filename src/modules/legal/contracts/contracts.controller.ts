import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { PathContractId } from './contract-id.js';
import { ContractPage, ListContracts, toSummary } from './contract-list.dto.js';
import { ContractEnvelope, toContract } from './contract-response.dto.js';
import { ContractTransitions } from './contract-transitions.service.js';
import { CreateContract, DispatchContract, UpdateContract, VoidContract } from './contract.dto.js';
import { Contracts } from './contracts.service.js';

const PATH = '/v1/admin/legal/contracts';

@ApiTags('Contracts')
@Controller(PATH)
export class ContractsController {
  constructor(
    private readonly contracts: Contracts,
    private readonly transitions: ContractTransitions,
  ) {}

  /** Creates the draft of a contract */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.contract.create')
  @Refuses({ 409: ['contract_number_taken'], 422: ['invalid_initial_status'] })
  async create(@Body() body: CreateContract): Promise<ContractEnvelope> {
    const contract = await this.contracts.create(body);
    return created(`${PATH}/${contract.id}`, contract, { data: toContract(contract) });
  }

  /** Lists contracts without their texts, newest first */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListContracts): Promise<ContractPage> {
    const { contracts, total } = await this.contracts.list(query);
    return { data: contracts.map(toSummary), total, ...pageBounds(query) };
  }

  /** Reads a contract */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathContractId(3) id: string): Promise<ContractEnvelope> {
    const contract = await this.contracts.get(id);
    return tagged(contract, { data: toContract(contract) });
  }

  /** Changes the draft of a contract */
  @Patch(':id')
  @RequireScope('legal:write')
  @Mutates('legal.contract.update')
  @Refuses({ 409: ['contract_locked', 'contract_number_taken'] })
  async update(
    @PathContractId(4) id: string,
    @Body() body: UpdateContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.update(id, body, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /** Issues a draft: gives it its number and freezes its text, which the public may read from then on */
  @Post(':id/issuance')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.issue')
  @Refuses({ 409: ['invalid_transition'] })
  async issue(
    @PathContractId(5) id: string,
    @NoBody() _body: null,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.transitions.issue(id, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /** Sends an issued contract by e-mail; a sent one once more, if asked to */
  @Post(':id/dispatch')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.send')
  @Refuses({ 409: ['invalid_transition', 'no_recipient'] })
  @ApiBody({ type: DispatchContract, required: false })
  async dispatch(
    @PathContractId(6) id: string,
    @Body() body: DispatchContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.transitions.dispatch(id, body, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /** Declares a contract void; the public hears that it is gone */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.void')
  @Refuses({ 409: ['invalid_transition'] })
  async void(
    @PathContractId(7) id: string,
    @Body() body: VoidContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.transitions.void(id, body.reason, expected);
    return tagged(contract, { data: toContract(contract) });
  }
}
