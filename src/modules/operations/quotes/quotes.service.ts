import { Injectable } from '@nestjs/common';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { respond } from '../../../platform/http/respond.js';
import { type PricedExtra, type PricedUnit, type UnitSale, UnitPricesService } from '../../products/index.js';
import { includedTax, TaxCodesService, type TaxOfDay } from '../../taxes/index.js';
import type { DepartureView } from '../departures/departure.entity.js';
import { departureTax } from '../departures/departure-tax.js';
import { DeparturesService } from '../departures/departures.service.js';
import {
  type CreateQuote,
  ExplainedPriceResponse,
  MAX_EXPLAINED,
  QuoteExtraResponse,
  QuoteLineResponse,
  QuoteResponse,
} from './quote.dto.js';

/** What is priced on one day, and the tax of a departure that has no tax code. */
type QuotedSale = UnitSale & { departure: (PricesOfDeparture & DepartureTerms) | null };
type PricesOfDeparture = NonNullable<UnitSale['departure']>;

/** A priced unit or extra with its amounts for the whole quantity. */
type Taxed<Priced> = Priced & {
  unitSellCents: number;
  totalSellCents: number;
  taxIncludedCents: number;
  tax: TaxOfDay | null;
};

export interface QuotedUnits {
  /** The option that applies; null if the product has none. */
  optionId: string | null;
  lines: Taxed<PricedUnit>[];
  extras: Taxed<PricedExtra>[];
  totalCents: number;
  taxIncludedCents: number;
  /** Capacity that the units take. */
  seats: number;
}

/** Prices units on a departure or a day, as a sale of today would. Writes and reserves nothing. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly departures: DeparturesService,
    private readonly unitPrices: UnitPricesService,
    private readonly taxCodes: TaxCodesService,
  ) {}

  async quote(productId: string, body: CreateQuote): Promise<QuoteResponse> {
    const { optionId = null, channelId = null, currency, units, extras = [] } = body;
    const { departure, serviceDate } = await this.dayOf(productId, body);
    const sale = { optionId, channelId, currency, serviceDate, units, extras, departure };
    const quoted = await this.quoteUnits(productId, sale);
    return respond(QuoteResponse, {
      ...{ productId, departureId: departure?.id ?? null, serviceDate, optionId: quoted.optionId },
      ...{ channelId, currency, lines: quoted.lines.map(toLine), extras: quoted.extras.map(toExtra) },
      ...{ totalCents: quoted.totalCents, taxIncludedCents: quoted.taxIncludedCents, seats: quoted.seats },
      cutoffAt: departure?.cutoffAt?.toISOString() ?? null,
      salesState: departure?.salesState ?? null,
      unitsLeft: departure?.availableUnits() ?? null,
    });
  }

  /** Prices units with their extras and taxes. Throws 422 for units that the product does not sell like this. */
  async quoteUnits(productId: string, sale: QuotedSale): Promise<QuotedUnits> {
    const { departure, serviceDate, extras } = sale;
    const priced = await this.unitPrices.price(productId, sale);
    const taxes = new Map<string, TaxOfDay>();
    const taxOn = async (own: string | null, field: string): Promise<TaxOfDay | null> => {
      const taxCodeId = own ?? departure?.taxCodeId ?? null;
      if (taxCodeId === null) return null;
      const known = taxes.get(taxCodeId);
      const tax = known ?? (await this.taxCodes.getRateOn(taxCodeId, serviceDate, { field, isNew: true }));
      taxes.set(taxCodeId, tax);
      return tax;
    };
    const lines: QuotedUnits['lines'] = [];
    for (const [index, line] of priced.lines.entries()) {
      const tax = await taxOn(line.taxCodeId, `units.${index}.unitId`);
      const amounts = amountsOf(line.price.amountCents, line.quantity, {
        field: `units.${index}.quantity`,
        tax,
        departure,
      });
      lines.push({ ...line, ...amounts });
    }
    const quotedExtras: QuotedUnits['extras'] = [];
    for (const [index, extra] of priced.extras.entries()) {
      const field = index < extras.length ? `extras.${index}` : 'units';
      const tax = await taxOn(extra.taxCodeId, field);
      quotedExtras.push({ ...extra, ...amountsOf(extra.unitSellCents, extra.quantity, { field, tax, departure }) });
    }
    const all = [...lines, ...quotedExtras];
    return {
      ...{ optionId: priced.optionId, lines, extras: quotedExtras },
      totalCents: sum(all.map(({ totalSellCents }) => totalSellCents)),
      taxIncludedCents: sum(all.map(({ taxIncludedCents }) => taxIncludedCents)),
      seats: sum(lines.map(({ seats, quantity }) => seats * quantity)),
    };
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

/** What decides the tax of units without a tax code. */
type DepartureTerms = Parameters<typeof departureTax>[1] & { taxCodeId: string | null };

interface LineTerms {
  /** The member of the request that the line is for. */
  field: string;
  tax: TaxOfDay | null;
  departure: DepartureTerms | null;
}

function toLine(line: QuotedUnits['lines'][number]): QuoteLineResponse {
  const { unitId, paxCount, seats, quantity, price, explain, unitSellCents, totalSellCents, taxIncludedCents } = line;
  return respond(QuoteLineResponse, {
    ...{ unitId, quantity, people: quantity * paxCount, seats: quantity * seats },
    ...{ unitSellCents, totalSellCents, priceSource: price.source, priceListId: price.priceListId },
    ...{ ...taxMembers(line), taxIncludedCents },
    explain: explain.slice(0, MAX_EXPLAINED).map((candidate) => respond(ExplainedPriceResponse, candidate)),
  });
}

function toExtra(extra: QuotedUnits['extras'][number]): QuoteExtraResponse {
  return respond(QuoteExtraResponse, { ...extra, ...taxMembers(extra) });
}

function taxMembers({ tax }: { tax: TaxOfDay | null }) {
  return { taxCodeId: tax?.taxCodeId ?? null, taxRateBasisPoints: tax?.taxRateBasisPoints ?? null };
}

/** Throws 400 for a price that no number expresses exactly. */
function amountsOf(unitSellCents: number, quantity: number, { field, tax, departure }: LineTerms) {
  const totalSellCents = Number(BigInt(quantity) * BigInt(unitSellCents));
  if (!Number.isSafeInteger(totalSellCents)) throw invalidField(field, 'The price exceeds 2^53-1', 'amount_too_large');
  const ofDeparture = departure === null ? 0 : departureTax(totalSellCents, departure);
  const taxIncludedCents = tax ? includedTax(totalSellCents, tax) : ofDeparture;
  return { unitSellCents, totalSellCents, taxIncludedCents, tax };
}

/** Throws 400 for a sum that no number expresses exactly. */
function sum(amounts: readonly number[]): number {
  const total = Number(amounts.reduce((before, amount) => before + BigInt(amount), 0n));
  if (Number.isSafeInteger(total)) return total;
  throw invalidField('units', 'The price of the units exceeds 2^53-1', 'amount_too_large');
}
