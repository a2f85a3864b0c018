import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { created } from '../../../platform/http/response-headers.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { ConsentEnvelope, ConsentPage, CreateConsent, ListConsents, toConsent } from './consent.dto.js';
import { ConsentsService } from './consents.service.js';

@ApiGroup('Customers')
@Controller('/v1/admin/customers/:customerId/consents')
export class ConsentsController {
  constructor(private readonly consents: ConsentsService) {}

  /**
   * Record a consent
   *
   * @remarks Records that the customer gave or withdrew a consent, and the evidence. Consents are never changed: the newest one
   * of a purpose counts. An archived customer can still withdraw a consent. A withdrawal of `health_data` clears the dietary needs and
   * notes of the customer's travelers, unless these have a consent of their own.
   */
  @Post()
  @RequireScope('customers:write')
  @Mutates('customers.consent.create', { irreversible: 'Consents are evidence: record a withdrawal' })
  @Refuses({ 409: ['customer_merged', 'customer_erased'] })
  async create(@PathId('cus', 'customerId') customerId: string, @Body() body: CreateConsent): Promise<ConsentEnvelope> {
    const given = await this.consents.give(customerId, body);
    const path = `/v1/admin/customers/${customerId}/consents/${given.consent.id}`;
    return created(path, {}, { data: toConsent(given) });
  }

  /**
   * List the consents of a customer
   *
   * @remarks Returns a page of consents and withdrawals, newest first unless `sort` is given, with those of duplicates that
   * were merged into the customer.
   */
  @Get()
  @RequireScope('customers:read')
  async list(@PathId('cus', 'customerId') customerId: string, @Query() query: ListConsents): Promise<ConsentPage> {
    const { rows, total } = await this.consents.list(customerId, query);
    return { data: rows.map(toConsent), total, ...pageBounds(query) };
  }

  /**
   * Get a consent
   *
   * @remarks Returns a consent or withdrawal of the customer, or of a duplicate that was merged into it.
   */
  @Get(':consentId')
  @RequireScope('customers:read')
  async get(
    @PathId('cus', 'customerId') customerId: string,
    @PathId('cons', 'consentId') id: string,
  ): Promise<ConsentEnvelope> {
    return { data: toConsent(await this.consents.get(customerId, id)) };
  }
}
