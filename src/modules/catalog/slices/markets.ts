import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';

export interface Market {
  readonly code: string;
  readonly currency: string;
  readonly locale: string;
}

/** Where things are sold, as configured (`CATALOG_MARKETS`). */
@Injectable()
export class Markets {
  readonly standard: Market;
  private readonly all: readonly Market[];

  constructor(env: Env) {
    this.all = env.catalogMarkets.map((entry) => {
      const [code = '', currency = '', locale = ''] = entry.split(':');
      return { code, currency, locale: canonicalLocale(locale) ?? locale };
    });
    const [first] = this.all;
    this.standard = first ?? { code: 'default', currency: 'EUR', locale: 'en-GB' };
  }

  /** Whatever the case of its letters. */
  find(code: string): Market | null {
    return this.all.find((market) => market.code.toLowerCase() === code.toLowerCase()) ?? null;
  }
}

/** One spelling for each tag of BCP 47 (`EN-gb` is `en-GB`); null where it is not well-formed. */
export function canonicalLocale(tag: string): string | null {
  try {
    const [canonical = null] = tag.length <= 35 ? Intl.getCanonicalLocales(tag) : [];
    return canonical;
  } catch {
    return null;
  }
}
