import { Injectable } from '@nestjs/common';
import { invalidField, invalidRequest, type Issue, MAX_ISSUES } from '../../../platform/errors/app-error.js';
import { faultsOfFields } from '../fields/check-fields.js';
import { DERIVED, type Vertical } from '../fields/registry.js';
import { canonicalLocale, Markets } from '../slices/markets.js';
import { type SliceKey, sliceName } from '../slices/slices.service.js';
import type { BatchDocument, Variant } from './document.dto.js';
import type { NewDocument } from './stored-document.js';

type Given = Variant & { vertical: Vertical; id: string; fields: Record<string, unknown> };

/** Makes documents of what was sent, or says what is wrong with it. */
@Injectable()
export class NewDocuments {
  constructor(private readonly markets: Markets) {}

  /** The variant that is meant. Throws 400 for a market that is not configured. */
  variant({ locale, market }: Variant, path = 'market'): Pick<SliceKey, 'locale' | 'market'> {
    const found = market === undefined ? this.markets.standard : this.markets.find(market);
    if (!found) throw invalidField(path, `${path} must be a configured market`, 'isMarket');
    return { market: found.code, locale: (locale === undefined ? null : canonicalLocale(locale)) ?? found.locale };
  }

  /** Throws 400 with every fault of the fields. */
  one(given: Given): NewDocument {
    const variant = this.variant(given);
    const faults = faultsOfFields(given.vertical, given.fields, 'fields');
    if (faults.length > 0) throw invalidRequest(faults);
    return { ...variant, vertical: given.vertical, id: given.id, fields: kept(given.fields) };
  }

  /** Throws 400 with the faults of all of them, also where one is sent twice; stops at 100. */
  many(given: readonly BatchDocument[]): NewDocument[] {
    const faults: Issue[] = [];
    const seen = new Set<string>();
    const documents: NewDocument[] = [];
    for (const [index, { vertical, id, fields, ...variant }] of given.entries()) {
      if (faults.length >= MAX_ISSUES) break;
      const path = `documents.${index}`;
      const document = { ...this.variant(variant, `${path}.market`), vertical, id, fields: kept(fields) };
      const name = `${sliceName(document)}/${id}`;
      const twice = { path: `${path}.id`, message: `${path}.id is a duplicate`, code: 'arrayUnique' };
      if (seen.has(name)) faults.push(twice);
      seen.add(name);
      faults.push(...faultsOfFields(vertical, fields, `${path}.fields`));
      documents.push(document);
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return documents;
  }
}

/** What departures say of themselves is not taken from anywhere else. */
function kept(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(fields['departures'])) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !DERIVED.some((derived) => derived === name)));
}
