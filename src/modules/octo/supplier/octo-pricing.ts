import { divideRounded, minorUnits } from '../../../platform/money/money.js';
import type { Connection } from '../connections/connection.entity.js';
import type { OctoPricing } from './octo-objects.js';

const ALL_BASIS_POINTS = 10_000n;

/** The prices of one unit: for the channel, and for customers without a channel. */
export interface UnitCents {
  channelCents: number;
  /** Null if only the channel has a price. */
  generalCents: number | null;
}

type Terms = Pick<Connection, 'settlement' | 'commissionBasisPoints' | 'showNet'>;

/** What one unit costs the guest, and what the reseller owes for it. */
export interface UnitFigures {
  retailCents: number;
  netCents: number;
}

/**
 * With net rates, the channel buys at its own prices, and the guest pays the general one. With a commission, the guest pays the
 * price of the channel, of which the channel keeps a share, rounded for each unit.
 */
export function figuresOf({ channelCents, generalCents }: UnitCents, terms: Omit<Terms, 'showNet'>): UnitFigures {
  if (terms.settlement === 'net') {
    return { retailCents: Math.max(channelCents, generalCents ?? 0), netCents: channelCents };
  }
  return { retailCents: channelCents, netCents: channelCents - commissionOf(channelCents, terms) };
}

function commissionOf(cents: number, { commissionBasisPoints }: Pick<Connection, 'commissionBasisPoints'>): number {
  return Number(divideRounded(BigInt(cents) * BigInt(commissionBasisPoints), ALL_BASIS_POINTS));
}

export function pricingOf(
  cents: UnitCents,
  { connection, currency }: { connection: Terms; currency: string },
): OctoPricing {
  return toPricing(figuresOf(cents, connection), { currency, showNet: connection.showNet });
}

export function toPricing(
  { retailCents, netCents }: UnitFigures,
  { currency, showNet }: { currency: string; showNet: boolean },
): OctoPricing {
  return {
    original: retailCents,
    retail: retailCents,
    net: showNet ? netCents : null,
    currency,
    currencyPrecision: minorUnits(currency),
    includedTaxes: [],
  };
}

/** The sum of several units. */
export function sumOfFigures(figures: readonly UnitFigures[]): UnitFigures {
  return {
    retailCents: figures.reduce((sum, { retailCents }) => sum + retailCents, 0),
    netCents: figures.reduce((sum, { netCents }) => sum + netCents, 0),
  };
}
