import { Injectable } from '@nestjs/common';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { respond } from '../../../platform/http/respond.js';
import { type PricedUnit, UnitPricesService } from '../../products/index.js';
import { includedTax, TaxCodesService, type TaxOfDay } from '../../taxes/index.js';
import type { DepartureView } from '../departures/departure.entity.js';
import { departureTax } from '../departures/departure-tax.js';
import { DeparturesService } from '../departures/departures.service.js';
import {
  type CreateQuote,
  ExplainedPriceResponse,
  MAX_EXPLAINED,
  QuoteLineResponse,
  QuoteResponse,
} from './quote.dto.js';

/** Prices units on a departure or a day, as a sale of today would. Writes and reserves nothing. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly departures: DeparturesService,
    private readonly unitPrices: UnitPricesService,
    private readonly taxCodes: TaxCodesService,
  ) {}

  async quote(productId: string, body: CreateQuote): Promise<QuoteResponse> {
    const { optionId = null, channelId = null, currency, units } = body;
    const { departure, serviceDate } = await this.dayOf(productId, body);
    const sale = { optionId, channelId, currency, serviceDate, units, departure };
    const { optionId: appliedId, lines } = await this.unitPrices.price(productId, sale);
    const taxes = new Map<string, TaxOfDay>();
    const quoted: QuoteLineResponse[] = [];
    for (const [index, line] of lines.entries()) {
      const taxCodeId = line.taxCodeId ?? departure?.taxCodeId ?? null;
      const terms = { field: `units.${index}.unitId`, isNew: true };
      const tax = taxCodeId && (taxes.get(taxCodeId) ?? (await this.taxCodes.getRateOn(taxCodeId, serviceDate, terms)));
      if (tax) taxes.set(tax.taxCodeId, tax);
      quoted.push(toLine(line, { index, tax: tax || null, departure }));
    }
    return respond(QuoteResponse, {
      ...{ productId, departureId: departure?.id ?? null, serviceDate, optionId: appliedId },
      ...{ channelId, currency, lines: quoted },
      totalCents: sum(quoted.map(({ totalSellCents }) => totalSellCents)),
      taxIncludedCents: sum(quoted.map(({ taxIncludedCents }) => taxIncludedCents)),
      seats: sum(quoted.map(({ seats }) => seats)),
      cutoffAt: departure?.cutoffAt?.toISOString() ?? null,
      salesState: departure?.salesState ?? null,
      unitsLeft: departure?.availableUnits() ?? null,
    });
  }

  /** The departure of the request, if it names one, and the local day of the service. */
  private async dayOf(
    productId: string,
    { departureId = null, serviceDate = null }: CreateQuote,
  ): Promise<{ departure: DepartureView | null; serviceDate: string }> {
    if (departureId === null && serviceDate !== null) return { departure: null, serviceDate };
    if (departureId === null || serviceDate !== null) {
      throw invalidField('departureId', 'Send either departureId or serviceDate', 'exactly_one');
    }
    const departure = await this.departures.get(departureId, { field: 'departureId' });
    if (departure.productId !== productId) throw notFound({ field: 'departureId' });
    return { departure, serviceDate: departure.startDate };
  }
}

interface LineTerms {
  index: number;
  tax: TaxOfDay | null;
  departure: DepartureView | null;
}

function toLine(
  { unitId, paxCount, seats, quantity, price, explain }: PricedUnit,
  terms: LineTerms,
): QuoteLineResponse {
  const { amountCents: unitSellCents, source: priceSource, priceListId } = price;
  const totalSellCents = Number(BigInt(quantity) * BigInt(unitSellCents));
  if (!Number.isSafeInteger(totalSellCents)) {
    const message = 'The price of the units exceeds 2^53-1';
    throw invalidField(`units.${terms.index}.quantity`, message, 'amount_too_large');
  }
  return respond(QuoteLineResponse, {
    ...{ unitId, quantity, people: quantity * paxCount, seats: quantity * seats },
    ...{ unitSellCents, totalSellCents, priceSource, priceListId },
    taxCodeId: terms.tax?.taxCodeId ?? null,
    taxRateBasisPoints: terms.tax?.taxRateBasisPoints ?? null,
    taxIncludedCents: taxOf(totalSellCents, terms),
    explain: explain.slice(0, MAX_EXPLAINED).map((candidate) => respond(ExplainedPriceResponse, candidate)),
  });
}

function taxOf(totalSellCents: number, { tax, departure }: LineTerms): number {
  if (tax) return includedTax(totalSellCents, tax);
  return departure === null ? 0 : departureTax(totalSellCents, departure);
}

/** Throws 400 for a sum that no number expresses exactly. */
function sum(amounts: readonly number[]): number {
  const total = Number(amounts.reduce((before, amount) => before + BigInt(amount), 0n));
  if (Number.isSafeInteger(total)) return total;
  throw invalidField('units', 'The price of the units exceeds 2^53-1', 'amount_too_large');
}
