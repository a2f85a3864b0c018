import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListNotificationMessages } from './message.dto.js';
import { NotificationMessage } from './notification-message.entity.js';

/** What was or would have been sent. */
@Injectable()
export class Messages {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(query: ListNotificationMessages): Promise<{ messages: NotificationMessage[]; total: number }> {
    const found = this.database.repository(NotificationMessage).createQueryBuilder('message');
    if (query.runId !== undefined) found.andWhere('message.runId = :runId', { runId: query.runId });
    if (query.status !== undefined) found.andWhere('message.status = :status', { status: query.status });
    if (query.from !== undefined) found.andWhere('message.createdAt >= :from', { from: query.from });
    if (query.to !== undefined) found.andWhere('message.createdAt < :to', { to: query.to });
    found.orderBy('message.createdAt', 'DESC').addOrderBy('message.id', 'DESC');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { messages: rows.map(({ entity }) => entity), total };
  }
}
