import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { ErasureEnvelope, PlanErasure, toErasure } from './erasure.dto.js';
import { ErasuresService, type ErasureView } from './erasures.service.js';

const pathOf = ({ erasure: { id, customerId } }: ErasureView) => `/v1/admin/customers/${customerId}/erasures/${id}`;

@ApiGroup('Customers')
@Controller('/v1/admin/customers/:customerId/erasures')
export class ErasuresController {
  constructor(private readonly erasures: ErasuresService) {}

  /**
   * Plan the erasure of a customer
   *
   * @remarks Returns what an erasure would erase and what it would keep until when, for each kind of records in each module, and
   * the reasons that prevent it now. Nothing is erased before the execution.
   */
  @Post()
  @RequireScope('customers:privacy')
  @ExpensiveRead()
  @Mutates('customers.customer.plan_erasure', { irreversible: 'A plan has no effect' })
  @Refuses({ 409: ['already_erased', 'customer_merged'] })
  async plan(
    @PathId('cus', 'customerId', 6) customerId: string,
    @Body() { reason }: PlanErasure,
  ): Promise<ErasureEnvelope> {
    const view = await this.erasures.plan(customerId, reason);
    return created(pathOf(view), view.erasure, { data: toErasure(view) });
  }

  /**
   * Get the erasure of a customer
   *
   * @remarks Returns the plan, and after the execution the outcome in each module.
   */
  @Get(':erasureId')
  @RequireScope('customers:privacy')
  @ExpensiveRead()
  @ComputedNow()
  async get(
    @PathId('cus', 'customerId', 6) customerId: string,
    @PathId('eras', 'erasureId') id: string,
  ): Promise<ErasureEnvelope> {
    const view = await this.erasures.get(customerId, id);
    return tagged(view.erasure, { data: toErasure(view) });
  }

  /**
   * Execute the erasure of a customer
   *
   * @remarks Starts the erasure (202): from now on the customer can neither be changed nor sold to, and its data is erased module
   * by module, also in the states before and after each change that the ledger keeps. Poll the erasure until its status is
   * `done`. What a law requires is kept until the end of its retention period, as the plan says. Rejected while a service lies
   * ahead, a balance is due, or the customer has credit.
   */
  @Post(':erasureId/execution')
  @HttpCode(202)
  @RequireScope('customers:privacy')
  @ExpensiveRead()
  @Mutates('customers.customer.erase', { irreversible: 'Erased data cannot be restored' })
  @Refuses({ 409: ['already_erased', 'customer_merged', 'erasure_blocked'] })
  async execute(
    @PathId('cus', 'customerId', 6) customerId: string,
    @PathId('eras', 'erasureId') id: string,
    @NoBody() _body: null,
  ): Promise<ErasureEnvelope> {
    const view = await this.erasures.execute(customerId, id);
    return created(pathOf(view), {}, { data: toErasure(view) });
  }
}
