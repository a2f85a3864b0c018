import { Injectable } from '@nestjs/common';
import { BookingsService } from '../../bookings/index.js';
import type { CommissionLine } from './commission-line.entity.js';
import { CommissionRows } from './commission-rows.service.js';
import type { ListCommissions } from './commission.dto.js';

/** Commissions as they are answered. */
@Injectable()
export class CommissionReader {
  constructor(
    private readonly bookings: BookingsService,
    private readonly rows: CommissionRows,
  ) {}

  /** Newest first. Throws 404 for an unknown item. */
  async list(bookingItemId: string, query: ListCommissions): Promise<CommissionLine[]> {
    const lines = await this.rows.ofItem(bookingItemId, query);
    if (lines.length === 0) await this.bookings.getItem(bookingItemId);
    return lines;
  }

  /** Throws 404, also for a line of another item. */
  async get(bookingItemId: string, id: string): Promise<CommissionLine> {
    return this.rows.get(bookingItemId, id);
  }
}
