import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateCustomer,
  CustomerChangeEnvelope,
  CustomerEnvelope,
  CustomerPage,
  DuplicatePage,
  ListCustomers,
  ListDuplicates,
  MergeCustomers,
  toCustomer,
  UpdateCustomer,
} from './customer.dto.js';
import { CustomersService } from './customers.service.js';

const PATH = '/v1/admin/customers';
/** A customer that can only be read. */
const NOT_LIVE = ['customer_archived', 'customer_merged', 'customer_erased'];

@ApiGroup('Customers', {
  position: 105,
  description: 'Staff: persons and companies that buy, their contacts, their consents, and duplicates.',
})
@Controller(PATH)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  /**
   * Create a customer
   *
   * @remarks Adds a person or a company. Telephone numbers are stored in the form of ITU-T E.164; a national number needs its
   * country. E-mail addresses are not unique, because couples share one: `warnings` names customers who may be the same.
   */
  @Post()
  @RequireScope('customers:write')
  @Mutates('customers.customer.create', { irreversible: 'Archive the customer instead: other records may refer to it' })
  async create(@Body() body: CreateCustomer): Promise<CustomerChangeEnvelope> {
    const { customer, warnings } = await this.customers.create(body);
    return created(`${PATH}/${customer.id}`, customer, { data: toCustomer(customer), warnings });
  }

  /**
   * List customers
   *
   * @remarks Returns a page of active customers by name unless `status` or `sort` is given.
   */
  @Get()
  @RequireScope('customers:read')
  async list(@Query() query: ListCustomers): Promise<CustomerPage> {
    const { rows, total } = await this.customers.list(query);
    return { data: rows.map(toCustomer), total, ...pageBounds(query) };
  }

  /**
   * List possible duplicates
   *
   * @remarks Returns pairs of active customers with the same e-mail address, telephone number, or name and date of birth. Each
   * customer is compared with the first one that has the same value.
   */
  @Get('duplicates')
  @RequireScope('customers:read')
  @ExpensiveRead()
  async listDuplicates(@Query() query: ListDuplicates): Promise<DuplicatePage> {
    const { rows, total } = await this.customers.listDuplicates(query);
    return { data: rows, total, ...pageBounds(query) };
  }

  /**
   * Get a customer
   *
   * @remarks Returns the customer, also if it is archived, merged or erased.
   */
  @Get(':customerId')
  @RequireScope('customers:read')
  async get(@PathId('cus', 'customerId') id: string): Promise<CustomerEnvelope> {
    const customer = await this.customers.get(id);
    return tagged(customer, { data: toCustomer(customer) });
  }

  /**
   * Update a customer
   *
   * @remarks Changes only the fields that are sent; a list replaces the whole list. Open bookings of the customer that still
   * have the former name or contact get the new one. Closed bookings and issued documents never change.
   */
  @Patch(':customerId')
  @RequireScope('customers:write')
  @Mutates('customers.customer.update')
  @BodyExample({ language: 'de', tags: ['regular'] })
  @Refuses({ 409: NOT_LIVE })
  async update(
    @PathId('cus', 'customerId', 2) id: string,
    @Body() body: UpdateCustomer,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CustomerChangeEnvelope> {
    const { customer, warnings } = await this.customers.update(id, body, expected);
    return tagged(customer, { data: toCustomer(customer), warnings });
  }

  /**
   * Archive a customer
   *
   * @remarks An archived customer stays readable, but can neither be changed nor used for new bookings. Rejected while it has a booking that
   * is neither completed nor cancelled.
   */
  @Post(':customerId/archival')
  @HttpCode(200)
  @RequireScope('customers:delete')
  @Mutates('customers.customer.archive')
  @Refuses({ 409: ['customer_in_use', ...NOT_LIVE] })
  async archive(
    @PathId('cus', 'customerId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<CustomerEnvelope> {
    const customer = await this.customers.archive(id, expected);
    return tagged(customer, { data: toCustomer(customer) });
  }

  /**
   * Merge duplicates into a customer
   *
   * @remarks The customer keeps its values unless `fields` says otherwise; empty ones are filled from the duplicates, and lists
   * are united. Bookings and consents of the duplicates belong to the customer afterwards; the withdrawal of a consent beats a
   * grant. A duplicate gets the status `merged` and stays readable. Moved bookings keep
   * their copies of the name and contacts. Rejected if one of the customers is archived, merged or erased, or if the duplicates
   * have more than 1,000 bookings: then merge in the other direction.
   */
  @Post(':customerId/merges')
  @HttpCode(200)
  @RequireScope('customers:write')
  @Mutates('customers.customer.merge')
  @Refuses({ 404: ['not_found'], 409: NOT_LIVE, 422: ['list_full', 'too_many_bookings'] })
  async merge(
    @PathId('cus', 'customerId', 4) id: string,
    @Body() body: MergeCustomers,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CustomerEnvelope> {
    const customer = await this.customers.merge(id, body, expected);
    return tagged(customer, { data: toCustomer(customer) });
  }
}
