import { Injectable } from '@nestjs/common';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { respond } from '../../../platform/http/respond.js';
import { type PricedExtra, type PricedUnit, UnitPricesService } from '../../products/index.js';
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
    const quoted: QuoteLineResponse[] = [];
    for (const [index, line] of priced.lines.entries()) {
      const tax = await taxOn(line.taxCodeId, `units.${index}.unitId`);
      quoted.push(toLine(line, { field: `units.${index}.quantity`, tax, departure }));
    }
    const quotedExtras: QuoteExtraResponse[] = [];
    for (const [index, extra] of priced.extras.entries()) {
      const field = index < extras.length ? `extras.${index}` : 'units';
      const tax = await taxOn(extra.taxCodeId, field);
      quotedExtras.push(toExtra(extra, { field, tax, departure }));
    }
    const all = [...quoted, ...quotedExtras];
    return respond(QuoteResponse, {
      ...{ productId, departureId: departure?.id ?? null, serviceDate, optionId: priced.optionId },
      ...{ channelId, currency, lines: quoted, extras: quotedExtras },
      totalCents: sum(all.map(({ totalSellCents }) => totalSellCents)),
      taxIncludedCents: sum(all.map(({ taxIncludedCents }) => taxIncludedCents)),
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
  /** The member of the request that the line is for. */
  field: string;
  tax: TaxOfDay | null;
  departure: DepartureView | null;
}

function toLine(
  { unitId, paxCount, seats, quantity, price, explain }: PricedUnit,
  terms: LineTerms,
): QuoteLineResponse {
  const { amountCents: unitSellCents, source: priceSource, priceListId } = price;
  const totalSellCents = totalOf({ quantity, unitSellCents }, terms);
  return respond(QuoteLineResponse, {
    ...{ unitId, quantity, people: quantity * paxCount, seats: quantity * seats },
    ...{ unitSellCents, totalSellCents, priceSource, priceListId },
    taxCodeId: terms.tax?.taxCodeId ?? null,
    taxRateBasisPoints: terms.tax?.taxRateBasisPoints ?? null,
    taxIncludedCents: taxOf(totalSellCents, terms),
    explain: explain.slice(0, MAX_EXPLAINED).map((candidate) => respond(ExplainedPriceResponse, candidate)),
  });
}

function toExtra(extra: PricedExtra, terms: LineTerms): QuoteExtraResponse {
  const totalSellCents = totalOf(extra, terms);
  const { taxCodeId = null, taxRateBasisPoints = null } = terms.tax ?? {};
  const tax = { taxCodeId, taxRateBasisPoints, taxIncludedCents: taxOf(totalSellCents, terms) };
  return respond(QuoteExtraResponse, { ...extra, totalSellCents, ...tax });
}

/** Throws 400 for a price that no number expresses exactly. */
function totalOf(
  { quantity, unitSellCents }: { quantity: number; unitSellCents: number },
  { field }: LineTerms,
): number {
  const total = Number(BigInt(quantity) * BigInt(unitSellCents));
  if (Number.isSafeInteger(total)) return total;
  throw invalidField(field, 'The price exceeds 2^53-1', 'amount_too_large');
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
