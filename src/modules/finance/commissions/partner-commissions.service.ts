import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PartnerChannels } from '../../distribution/index.js';
import type { CommissionLine } from './commission-line.entity.js';
import { CommissionsRepository } from './commissions.repository.js';
import type {
  ChannelCommission,
  CommissionStatement,
  ListCommissionStatements,
  ListPartnerCommissions,
} from './partner-commission.dto.js';

const sumOf = (status: string) =>
  `coalesce(sum(line.amount_cents) filter (where line.status = '${status}'), 0)::float8`;

/** $1 are the channels, $2 the time zone, $3 and $4 days of the first and the last month or null, $5 and $6 the page. */
const STATEMENTS = `
  with line as (
    select channel_id, currency, status, amount_cents, date_trunc('month', created_at at time zone $2)::date as month
    from commission_lines where channel_id = any($1) and status not in ('pending', 'void')
  ), statement as (
    select line.month, line.channel_id as "channelId", line.currency, count(*)::int as commissions,
      ${sumOf('accrued')} as "accruedCents",
      ${sumOf('payable')} as "payableCents", ${sumOf('paid')} as "paidCents",
      sum(line.amount_cents)::float8 as "totalCents"
    from line
    where line.month >= coalesce(date_trunc('month', $3::date)::date, '-infinity')
      and line.month <= coalesce($4::date, 'infinity')
    group by line.month, line.channel_id, line.currency
  )
  select counted.total, page.* from (select count(*)::int as total from statement) counted
  left join lateral (
    select * from statement order by month desc, "channelId", currency limit $5 offset $6
  ) page on true`;

/** Commissions as the partners see them whose channels earn them. */
@Injectable()
export class PartnerCommissionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: CommissionsRepository,
    private readonly listeners: Listeners,
    private readonly env: Env,
  ) {}

  async list(query: ListPartnerCommissions): Promise<{ rows: ChannelCommission[]; total: number }> {
    const { status, bookingId, createdAfter, createdBefore, sort = '-createdAt' } = query;
    const channelIds = await this.channelIds();
    if (channelIds.length === 0) return { rows: [], total: 0 };
    const found = this.repository.rows.query('line');
    found.where(`line.channelId = any(:channelIds) and line.status <> 'pending'`, { channelIds });
    filterRows(found, 'line.status', status);
    if (bookingId !== undefined) found.andWhere('line.bookingId = :bookingId', { bookingId });
    if (createdAfter !== undefined) found.andWhere('line.createdAt >= :createdAfter', { createdAfter });
    if (createdBefore !== undefined) found.andWhere('line.createdAt <= :createdBefore', { createdBefore });
    sortRows(found, sort);
    const { rows, total } = await this.repository.rows.page(found, pageBounds(query));
    return { rows: rows.filter(isOfChannel), total };
  }

  async listStatements(query: ListCommissionStatements): Promise<{ rows: CommissionStatement[]; total: number }> {
    const { from = null, to = null } = query;
    const channelIds = await this.channelIds();
    if (channelIds.length === 0) return { rows: [], total: 0 };
    const { limit, offset } = pageBounds(query);
    const values = [channelIds, this.env.orgTimeZone, from, to, limit, offset];
    const found = await this.database.query<CommissionStatement & { total: number; month: string | null }>(
      STATEMENTS,
      values,
    );
    const rows = found.filter(({ month }) => month !== null).map(({ total: _, ...statement }) => statement);
    return { rows, total: found[0]?.total ?? 0 };
  }

  private channelIds(): Promise<string[]> {
    return this.listeners.one(PartnerChannels).listFor(currentActor());
  }
}

function isOfChannel(line: CommissionLine): line is ChannelCommission {
  return line.channelId !== null && line.status !== 'pending';
}
