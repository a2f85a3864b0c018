import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { PathContract } from './contract-id.js';
import {
  ContractEnvelope,
  ContractPage,
  CreateContract,
  DispatchContract,
  ListContracts,
  toContract,
  toContractSummary,
  UpdateContract,
  VoidContract,
  WithdrawContract,
} from './contract.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { ContractsService } from './contracts.service.js';

const PATH = '/v1/admin/legal/contracts';
/** Stored responses must not contain the id, because it opens the contract. */
const SECRETS = { secrets: ['data.id'] };

@ApiGroup('Contracts', {
  position: 170,
  description: 'Staff: contracts with customers and partners, from the draft to dispatch, expiry or voiding.',
})
@Controller(PATH)
export class ContractsController {
  constructor(
    private readonly contracts: ContractsService,
    private readonly names: Names,
  ) {}

  /**
   * Create a draft contract
   *
   * @remarks Creates a contract in status `draft`; any other status is rejected. A number can be chosen now or assigned at
   * issue; the number of another contract is rejected. `publicUntil` must be in the future and at most ten years away. An
   * unknown `bookingId` is not found.
   */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.contract.create', SECRETS)
  @Refuses({ 409: ['contract_number_taken'], 422: ['invalid_initial_status'] })
  async create(@Body() body: CreateContract): Promise<ContractEnvelope> {
    const contract = await this.contracts.create(body);
    return created(`${PATH}/${contract.id}`, contract, { data: toContract(contract) });
  }

  /**
   * List contracts
   *
   * @remarks Returns a page of contracts, newest first unless `sort` is given, without text and metadata. `search`
   * matches part of the title, the number or the recipient's name, ignoring case.
   */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListContracts): Promise<ContractPage> {
    const { contracts, total } = await this.contracts.list(query);
    return {
      data: await this.names.beside(contracts.map(toContractSummary), 'bookingId'),
      total,
      ...pageBounds(query),
    };
  }

  /**
   * Get a contract
   *
   * @remarks Returns the contract with its text, in any status, by its ID or its reference.
   */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathContract(3) id: string): Promise<ContractEnvelope> {
    const contract = await this.contracts.get(id);
    return tagged(contract, { data: toContract(contract) });
  }

  /**
   * Update a draft contract
   *
   * @remarks Changes only the fields that are sent. Contracts that are no longer drafts are rejected. A number that another
   * contract has is rejected.
   */
  @Patch(':id')
  @RequireScope('legal:write')
  @Mutates('legal.contract.update', {
    ...SECRETS,
    irreversible: 'The ledger keeps the digest of the text only: change the contract again',
  })
  @Refuses({ 409: ['contract_locked', 'contract_number_taken'] })
  async update(
    @PathContract(4) id: string,
    @Body() body: UpdateContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.update(id, body, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /**
   * Issue a contract
   *
   * @remarks Assigns the next number of the year (`C-<year>-<5 digits>`) unless one is set, sanitizes the HTML, freezes the
   * text and stores its SHA-256. From then on anyone who knows the ID can read it until `publicUntil`, by default 12 months
   * after the issue. Only a draft can be issued.
   */
  @Post(':id/issuance')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.issue', SECRETS)
  @Refuses({ 409: ['invalid_transition'] })
  async issue(
    @PathContract(5) id: string,
    @NoBody() _body: null,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.issue(id, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /**
   * Send a contract by e-mail
   *
   * @remarks Sends an issued contract to the given address, otherwise to the address of the recipient; a given address replaces
   * the stored one. The mail contains a link to the page of the contract; the link is created when the mail is sent, and is not
   * stored. A contract that was already sent is returned unchanged unless `resend` is true. The request is rejected if there is
   * no address or it is suppressed, in any other status, and after the end of public access.
   */
  @Post(':id/dispatch')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.send', SECRETS)
  @Refuses({ 409: ['invalid_transition', 'no_recipient', 'public_access_ended', 'recipient_suppressed'] })
  @ApiBody({ type: DispatchContract, required: false })
  async dispatch(
    @PathContract(6) id: string,
    @Body() body: DispatchContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.dispatch(id, body, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /**
   * End public access to a contract
   *
   * @remarks From then on the public operation and the links in mails respond with 404. The status of the contract does not
   * change. A contract that was already withdrawn is returned unchanged. A contract that was not issued is rejected. Reversing
   * the ledger entry restores public access.
   */
  @Post(':id/withdrawal')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.withdraw', SECRETS)
  @Refuses({ 409: ['invalid_transition'] })
  @ApiBody({ type: WithdrawContract, required: false })
  async withdraw(
    @PathContract(9) id: string,
    @Body() body: WithdrawContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.withdraw(id, body.reason, expected);
    return tagged(contract, { data: toContract(contract) });
  }

  /**
   * Declare a contract void
   *
   * @remarks Ends a draft, issued or sent contract permanently. The public API responds with 410 `contract_gone` from then on,
   * if it was issued. Any other status is rejected.
   */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.contract.void', { ...SECRETS, irreversible: 'A void contract is final: create one' })
  @Refuses({ 409: ['invalid_transition'] })
  async void(
    @PathContract(7) id: string,
    @Body() body: VoidContract,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ContractEnvelope> {
    const contract = await this.contracts.void(id, body.reason, expected);
    return tagged(contract, { data: toContract(contract) });
  }
}
