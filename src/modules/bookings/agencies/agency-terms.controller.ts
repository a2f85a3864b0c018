import { Body, Controller, Get, Put } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { demoId } from '../../../platform/ids/id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { AgencyTermsEnvelope, ReplaceAgencyTerms, toAgencyTerms } from './agency-terms.dto.js';
import { AgencyTermsService } from './agency-terms.service.js';

/** The number of the company in the demo data. */
const AGENCY = 2;

@ApiGroup('Customers')
@Controller('/v1/admin/customers/:customerId/agency-terms')
export class AgencyTermsController {
  constructor(private readonly agencies: AgencyTermsService) {}

  /**
   * Get the agency terms of a customer
   *
   * @remarks Returns the channel and the payment policy of new bookings of the customer, and its credit limit. All are null for a
   * customer who is not an agency.
   */
  @Get()
  @RequireScope('customers:read')
  async get(@PathId('cus', 'customerId', AGENCY) customerId: string): Promise<AgencyTermsEnvelope> {
    const data = toAgencyTerms(customerId, await this.agencies.get(customerId));
    return tagged(data, { data });
  }

  /**
   * Replace the agency terms of a customer
   *
   * @remarks The customer must be active. Only a company can get terms; those of a customer who no longer is a company can be
   * cleared. New bookings take the channel and the payment policy unless they name their own; earlier bookings do not change. A
   * confirmation is rejected if the customer would then owe more than the credit limit for confirmed bookings. So are the
   * reinstatement of such a booking and the change of its customer.
   */
  @Put()
  @RequireScope('bookings:override')
  @Mutates('bookings.agency_terms.replace', {
    irreversible: 'Bookings may have taken the terms: replace them again',
  })
  @BodyExample({
    channelId: demoId('chan', 1),
    paymentPolicy: {
      steps: [{ label: 'Balance', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 30 }],
    },
    ...{ creditLimitCents: 500_000, creditCurrency: 'EUR' },
  })
  @Refuses({
    404: ['not_found'],
    409: ['channel_archived', 'customer_archived', 'customer_merged', 'customer_erased'],
    422: ['customer_not_company', 'invalid_payment_policy'],
  })
  async replace(
    @PathId('cus', 'customerId', AGENCY) customerId: string,
    @Body() body: ReplaceAgencyTerms,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<AgencyTermsEnvelope> {
    const terms = await this.agencies.replace(customerId, body, expected);
    return tagged(terms, { data: toAgencyTerms(customerId, terms) });
  }
}
