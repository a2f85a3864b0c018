import { Injectable } from '@nestjs/common';

/** What plans must know of invoices; the invoices say it, within the running transaction. */
export interface ScheduleInvoicesSource {
  /** The installments of the booking that are on an invoice which is not void: their amounts stand. */
  liveScheduleIds(bookingId: string): Promise<readonly string[]>;
  /**
   * Whether the customer holds an invoice that asks for these installments: each is on one that is issued and not paid,
   * or one of the whole booking is.
   */
  hasOpenInvoice(bookingId: string, scheduleIds: readonly string[]): Promise<boolean>;
}

/** Asked by the plans, which stand below the invoices. Until these register, there are none. */
@Injectable()
export class ScheduleInvoices implements ScheduleInvoicesSource {
  private source: ScheduleInvoicesSource | null = null;

  /** Call it in `onModuleInit`. */
  register(source: ScheduleInvoicesSource): void {
    this.source = source;
  }

  async liveScheduleIds(bookingId: string): Promise<readonly string[]> {
    return (await this.source?.liveScheduleIds(bookingId)) ?? [];
  }

  async hasOpenInvoice(bookingId: string, scheduleIds: readonly string[]): Promise<boolean> {
    return (await this.source?.hasOpenInvoice(bookingId, scheduleIds)) ?? false;
  }
}
