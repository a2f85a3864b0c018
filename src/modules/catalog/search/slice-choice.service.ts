import { Injectable } from '@nestjs/common';
import type { Vertical } from '../fields/registry.js';
import { Follower, type KnownSlice } from '../freshness/follower.service.js';
import { canonicalLocale, Markets } from '../slices/markets.js';

/** Chooses the slice that a search reads: the market first, then the nearest language that there is. */
@Injectable()
export class SliceChoice {
  constructor(
    private readonly follower: Follower,
    private readonly markets: Markets,
  ) {}

  of(vertical: Vertical, asked: { market?: string; locale?: string }) {
    const market = (asked.market === undefined ? null : this.markets.find(asked.market)) ?? this.markets.standard;
    const wanted = (asked.locale === undefined ? null : canonicalLocale(asked.locale)) ?? market.locale;
    // One in which nothing is to be found, since its documents are deleted or drafts, hides no other one.
    const slices = this.follower
      .slices()
      .filter(
        ({ state, figures }) => state.vertical === vertical && state.market === market.code && figures.documents > 0,
      );
    const byLocale = (locale: string) => slices.find(({ state }) => state.locale === locale);
    const slice =
      byLocale(wanted) ??
      sameLanguage(slices, wanted) ??
      byLocale(market.locale) ??
      byLocale(this.markets.standard.locale) ??
      null;
    return { slice, market: market.code, locale: slice?.state.locale ?? wanted };
  }
}

/** Without a region first, then by name. */
function sameLanguage(slices: readonly KnownSlice[], wanted: string): KnownSlice | undefined {
  const language = wanted.split('-')[0];
  const same = slices.filter(({ state }) => state.locale.split('-')[0] === language);
  const rank = ({ state: { locale } }: KnownSlice) => (locale === language ? '' : locale);
  return same.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}
