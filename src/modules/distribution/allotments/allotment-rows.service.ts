import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { DeparturesService } from '../../operations/index.js';
import type { ListAllotments } from './allotment.dto.js';
import { Allotment } from './allotment.entity.js';
import type { ReleaseRule, ReleaseStep } from './release-rule.js';

/** An allotment as it is answered: its columns and when it gives back what is not sold. */
export interface AllotmentView {
  allotment: Allotment;
  release: ReleaseRule | null;
}

const STEPS = `(select json_agg(json_build_object(
    'daysBefore', step.days_before, 'hoursBefore', step.hours_before, 'keepQuantity', step.keep_quantity)
    order by step.position)
  from allotment_release_steps step where step.allotment_id = allotment.id and step.retired_at is null)`;

const WHICH = { live: 'deleted_at is null', deleted: 'deleted_at is not null' };

interface WithSteps {
  steps: ReleaseStep[] | null;
}

/** The rows of allotments; a deleted one is as good as unknown. */
@Injectable()
export class AllotmentRows {
  constructor(
    private readonly database: Database,
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  /** Does the work in a transaction. */
  async within<T>(work: (now: Date) => Promise<T>): Promise<T> {
    return this.database.transaction(() => work(this.clock.now()));
  }

  /** Does the work in a transaction that holds the product. */
  async holding<T>(productId: string, work: (now: Date) => Promise<T>): Promise<T> {
    return this.within(async (now) => {
      await this.departures.lockProduct(productId);
      return work(now);
    });
  }

  /**
   * Does the work in a transaction that holds the product, and with it all its allotments. Their own rows are not locked: a
   * sale that holds its departure would wait for them. Throws 404, 412.
   */
  async change<T>(
    id: string,
    expected: ExpectedVersions,
    work: (view: AllotmentView, now: Date) => Promise<T>,
  ): Promise<T> {
    return this.holdingOf(
      () => this.get(id),
      async (view, now) => {
        assertVersion(expected, view.allotment);
        return work(view, now);
      },
    );
  }

  /** The same with one that is deleted. Throws 404. */
  async changeDeleted<T>(id: string, work: (view: AllotmentView, now: Date) => Promise<T>): Promise<T> {
    return this.holdingOf(() => this.one(id, 'deleted'), work);
  }

  /** Throws 404; `details` are those of an allotment that a body names. */
  async get(id: string, details?: { field: string }): Promise<AllotmentView> {
    return this.one(id, 'live', details);
  }

  async list(query: ListAllotments): Promise<{ views: AllotmentView[]; total: number }> {
    const { channelId, productId, from, to, active, sort = '-createdAt' } = query;
    const found = this.database.repository(Allotment).createQueryBuilder('allotment');
    found.addSelect(STEPS, 'steps').where('allotment.deletedAt is null');
    if (channelId !== undefined) found.andWhere('allotment.channelId = :channelId', { channelId });
    if (productId !== undefined) found.andWhere('allotment.productId = :productId', { productId });
    if (from !== undefined) found.andWhere('(allotment.validTo is null or allotment.validTo >= :from)', { from });
    if (to !== undefined) found.andWhere('allotment.validFrom <= :to', { to });
    if (active !== undefined) found.andWhere('allotment.active = :active', { active });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`allotment.${sort.replace('-', '')}`, direction).addOrderBy('allotment.id', direction);
    const { rows, total } = await this.database.page<Allotment, WithSteps>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw.steps)), total };
  }

  async insert(allotment: Allotment): Promise<void> {
    await this.database.insert(allotment);
  }

  /** Of one that `change` holds. */
  async update(allotment: Allotment): Promise<void> {
    await this.database.update(allotment);
  }

  /** Those that have a part of each departure of the product that starts on this day. */
  async covering(productId: string, day: string): Promise<Allotment[]> {
    return this.read(
      'allotments-covering',
      `a.product_id = $1 and a.active and a.deleted_at is null
       and a.valid_from <= $2::date and (a.valid_to is null or a.valid_to >= $2::date)`,
      [productId, day],
    );
  }

  async byIds(ids: readonly string[]): Promise<Allotment[]> {
    return this.read('allotments-by-ids', 'a.id = any($1)', [ids]);
  }

  private async one(id: string, which: keyof typeof WHICH, details?: { field: string }): Promise<AllotmentView> {
    const columns = this.database.columnsOf(Allotment, 'allotment');
    const [found] = await this.database.read<Allotment, WithSteps>(Allotment, {
      name: `allotment-get-${which}`,
      text: `select ${columns}, ${STEPS} as steps from allotments allotment where allotment.id = $1 and ${WHICH[which]}`,
      values: [id],
    });
    if (!found) throw notFound(details);
    return viewOf(found.entity, found.raw.steps);
  }

  /** The product never changes, so it may be asked for before it is held. */
  private async holdingOf<T>(
    read: () => Promise<AllotmentView>,
    work: (view: AllotmentView, now: Date) => Promise<T>,
  ): Promise<T> {
    const { productId } = (await read()).allotment;
    return this.holding(productId, async (now) => work(await read(), now));
  }

  private async read(name: string, condition: string, values: unknown[]): Promise<Allotment[]> {
    const columns = this.database.columnsOf(Allotment, 'a');
    const text = `select ${columns} from allotments a where ${condition} order by a.id`;
    const found = await this.database.read(Allotment, { name, text, values });
    return found.map(({ entity }) => entity);
  }
}

function viewOf(allotment: Allotment, steps: ReleaseStep[] | null): AllotmentView {
  const { releaseMode: mode, unsoldAction } = allotment;
  return { allotment, release: mode && unsoldAction ? { mode, steps: steps ?? [], unsoldAction } : null };
}
