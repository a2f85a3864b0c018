import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { divideRounded } from '../../../platform/money/money.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  UndoesItself,
} from '../../action-ledger/index.js';
import { ProductListener } from '../products/product-listener.js';
import {
  type CopyPriceList,
  type CreatePriceList,
  type ListPriceLists,
  type ListPrices,
  type PriceBody,
  RecordedPrices,
  UpdatePriceList,
} from './price-list.dto.js';
import { PriceList } from './price-list.entity.js';
import { type Parts, PriceListsRepository } from './price-lists.repository.js';
import { findOverlap, Price, type PriceTerms } from './price.entity.js';

const OVERLAP = 'Two prices of the same unit, option and weekday have a common service date';
mapConstraint('prices_no_overlap', () => conflict('price_overlap', OVERLAP));
mapConstraint('prices_unit', () => conflict('unit_in_use', 'Price lists contain prices of the unit'));
mapConstraint('prices_option', () => conflict('option_in_use', 'Price lists contain prices of the option'));

type Verb = 'update' | 'replace_prices' | 'activate' | 'retire';
/** A price and its place in the list. */
type PlacedPrice = (PriceTerms | PriceBody) & { position: number };
type Images = { before: object | null; after: object };

/** Price lists. Each change locks the list, so that its prices are replaced as a whole. */
@Injectable()
export class PriceListsService {
  constructor(
    private readonly database: Database,
    private readonly repository: PriceListsRepository,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreatePriceList, id = newId('plst')): Promise<PriceList> {
    const list = make(PriceList, {
      id,
      name: input.name,
      currency: input.currency,
      channelId: input.channelId,
      soldFrom: input.soldFrom,
      soldTo: input.soldTo,
      priority: input.priority ?? 0,
      status: 'draft',
      priceCount: 0,
      createdAt: this.clock.now(),
    });
    list.assertConsistent();
    return this.database.transaction(async () => {
      await this.assertChannel(list.channelId);
      await this.repository.lists.insert(list);
      this.record('create', list, { before: null, after: list.auditImage() });
      return list;
    });
  }

  async list(query: ListPriceLists): Promise<{ rows: PriceList[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<PriceList> {
    return this.repository.lists.get(id);
  }

  @UndoesItself('products.price_list.update', UpdatePriceList)
  async update(id: string, body: UpdatePriceList, expected: ExpectedVersions): Promise<PriceList> {
    return this.change('update', { id, expected }, async (list) => {
      const { channelId } = list;
      list.change(body, this.clock.now());
      if (list.channelId !== channelId) await this.assertChannel(list.channelId);
      if (list.status === 'active') await this.reportPricesOf(id);
    });
  }

  /** Throws 404 if there is no such list. */
  async listPrices(id: string, query: ListPrices): Promise<{ rows: Price[]; total: number }> {
    const page = await this.repository.listPrices(id, query);
    if (page.total === 0) await this.get(id);
    return page;
  }

  /** Replaces all prices of a list. The ledger records only those that were deleted or added. */
  async replacePrices(id: string, bodies: readonly PriceBody[], expected: ExpectedVersions): Promise<PriceList> {
    const terms = bodies.map(termsOf);
    for (const [index, { from, to }] of terms.entries()) {
      if (from === null || to === null || to >= from) continue;
      throw invalidField(`prices.${index}.to`, 'to must not be before from', 'end_before_start');
    }
    const overlap = findOverlap(terms);
    if (overlap) throw conflict('price_overlap', OVERLAP, { indexes: overlap });
    return this.change('replace_prices', { id, expected }, (list) => this.exchangePrices(list, terms));
  }

  /** The prices that the entry added are replaced by those that it deleted. */
  @Reverses('products.price_list.replace_prices')
  async reversePrices(entry: RecordedAction): Promise<ReversalResult> {
    const list = await this.repository.lists.lock(entry.subjectId);
    assertUnchangedSince(entry, list);
    const before = list.auditImage();
    const { prices: deleted } = await checkedAs(RecordedPrices, entry.before);
    const { prices: added } = await checkedAs(RecordedPrices, entry.after);
    const kept = without(await this.repository.pricesOf(list.id), added);
    const restored = [...deleted, ...kept].sort((a, b) => a.position - b.position).map(termsOf);
    const exchanged = await this.exchangePrices(list, restored);
    await this.repository.lists.update(list);
    return { before: { ...before, ...exchanged.before }, after: { ...list.auditImage(), ...exchanged.after } };
  }

  async activate(id: string, expected: ExpectedVersions): Promise<PriceList> {
    return this.change('activate', { id, expected }, async (list) => {
      list.activate(this.clock.now());
      await this.reportPricesOf(id);
      const { id: priceListId, currency, channelId } = list;
      this.outbox.add({
        channel: 'products.price_lists',
        event: 'price_list.activated',
        data: { priceListId, currency, channelId },
      });
    });
  }

  /** The list becomes a draft again, unless something was sold at its prices. */
  @Reverses('products.price_list.activate', { effect: 'products.price_list.retire' })
  async reverseActivation(entry: RecordedAction): Promise<ReversalResult> {
    const list = await this.repository.lists.lock(entry.subjectId);
    assertUnchangedSince(entry, list);
    await this.listeners.call(ProductListener, (one) => one.priceListWithdrawn?.(list.id));
    const before = list.auditImage();
    list.deactivate(this.clock.now());
    await this.repository.lists.update(list);
    await this.reportPricesOf(list.id);
    return { before, after: list.auditImage() };
  }

  async retire(id: string, expected: ExpectedVersions): Promise<PriceList> {
    return this.change('retire', { id, expected }, async (list) => {
      list.retire(this.clock.now());
      await this.reportPricesOf(id);
    });
  }

  @Reverses('products.price_list.retire', { effect: 'products.price_list.activate' })
  async reverseRetirement(entry: RecordedAction): Promise<ReversalResult> {
    const list = await this.repository.lists.lock(entry.subjectId);
    assertUnchangedSince(entry, list);
    const before = list.auditImage();
    list.restore(this.clock.now());
    await this.repository.lists.update(list);
    await this.reportPricesOf(list.id);
    return { before, after: list.auditImage() };
  }

  /** Creates a draft with the changed prices of a list, which may be retired. */
  async copy(sourceId: string, { name, changeBasisPoints = 0, roundToCents = 1 }: CopyPriceList): Promise<PriceList> {
    return this.database.transaction(async () => {
      const source = await this.repository.lists.lock(sourceId);
      const createdAt = this.clock.now();
      const copied = { id: newId('plst'), name: name ?? source.name, status: 'draft', version: 1 } as const;
      const reset = { activatedAt: null, retiredAt: null, createdAt, updatedAt: createdAt };
      const list = make(PriceList, { ...source, ...copied, ...reset });
      const terms = (await this.repository.pricesOf(sourceId)).map((price) => ({
        ...termsOf(price),
        amountCents: changedAmount(price.amountCents, { changeBasisPoints, roundToCents }),
      }));
      if (list.channelId !== null) await this.assertChannel(list.channelId);
      await this.repository.lists.insert(list);
      const prices = (await this.insertPrices(list.id, terms)).map((price) => price.auditImage());
      const after = { ...list.auditImage(), sourceId, changeBasisPoints, roundToCents, prices };
      this.record('copy', list, { before: null, after });
      return list;
    });
  }

  private async change(
    verb: Verb,
    { id, expected }: { id: string; expected: ExpectedVersions },
    work: (list: PriceList) => Promise<{ before: object; after: object } | void> | void,
  ): Promise<PriceList> {
    return this.database.transaction(async () => {
      const list = await this.repository.lists.lock(id);
      assertVersion(expected, list);
      const before = list.auditImage();
      const further = await work(list);
      await this.repository.lists.update(list);
      this.record(verb, list, {
        before: { ...before, ...further?.before },
        after: { ...list.auditImage(), ...further?.after },
      });
      return list;
    });
  }

  /** Replaces the prices of a locked list, and returns those that were deleted and added. */
  private async exchangePrices(list: PriceList, terms: readonly PriceTerms[]) {
    list.replacePrices(terms.length, this.clock.now());
    assertKnown(terms, await this.repository.lockParts(terms));
    const before = await this.repository.pricesOf(list.id);
    await this.repository.deletePrices(list.id);
    const after = await this.insertPrices(list.id, terms);
    if (list.status === 'active') await this.reportPrices([...before, ...after].map(({ productId }) => productId));
    const images = (prices: readonly Price[]) => ({ prices: prices.map((price) => price.auditImage()) });
    return { before: images(without(before, after)), after: images(without(after, before)) };
  }

  private async insertPrices(priceListId: string, all: readonly PriceTerms[]): Promise<Price[]> {
    const createdAt = this.clock.now();
    const prices = all.map((terms, index) =>
      make(Price, { id: newId('pric'), priceListId, position: index + 1, ...terms, createdAt }),
    );
    await this.repository.insertPrices(prices);
    return prices;
  }

  private async assertChannel(channelId: string | null): Promise<void> {
    if (channelId === null) return;
    await this.listeners.call(ProductListener, (listener) => listener.channelChosen?.(channelId));
  }

  private async reportPricesOf(priceListId: string): Promise<void> {
    await this.reportPrices(await this.repository.productsOf(priceListId));
  }

  private async reportPrices(productIds: readonly string[]): Promise<void> {
    const unique = [...new Set(productIds)];
    await this.listeners.call(ProductListener, (listener) => listener.pricesChanged?.(unique));
  }

  private record(verb: Verb | 'create' | 'copy', { id }: PriceList, images: Images): void {
    this.ledger.record(`products.price_list.${verb}`, { subjectType: 'price_list', subjectId: id, ...images });
  }
}

function termsOf(price: PriceBody | PriceTerms): PriceTerms {
  const { productId, optionId = null, unitId, from = null, to = null, weekday = null, amountCents } = price;
  return { productId, optionId, unitId, from, to, weekday, amountCents };
}

/** Returns the prices that have no equal one at the same place among `others`. */
function without(prices: readonly Price[], others: readonly PlacedPrice[]): Price[] {
  const keyOf = (price: PlacedPrice) => JSON.stringify([price.position, termsOf(price)]);
  const keys = new Set(others.map(keyOf));
  return prices.filter((price) => !keys.has(keyOf(price)));
}

function assertKnown(prices: readonly PriceTerms[], { productIds, units, options }: Parts): void {
  for (const [index, { productId, unitId, optionId }] of prices.entries()) {
    const unknown = (member: string) => notFound({ field: `prices.${index}.${member}` });
    if (!productIds.has(productId)) throw unknown('productId');
    if (units.get(unitId) !== productId) throw unknown('unitId');
    if (optionId !== null && options.get(optionId) !== productId) throw unknown('optionId');
  }
}

function changedAmount(
  amountCents: number,
  { changeBasisPoints, roundToCents }: { changeBasisPoints: number; roundToCents: number },
): number {
  const step = BigInt(roundToCents);
  const changed = BigInt(amountCents) * BigInt(10_000 + changeBasisPoints);
  const amount = Number(divideRounded(changed, 10_000n * step) * step);
  if (!Number.isSafeInteger(amount)) {
    throw invalidField('changeBasisPoints', 'A changed price exceeds 2^53-1', 'amount_too_large');
  }
  // A price of 0 sells the unit for nothing.
  if (amount === 0 && changed > 0n)
    throw invalidField('roundToCents', 'A changed price is rounded to 0', 'amount_zero');
  return amount;
}
