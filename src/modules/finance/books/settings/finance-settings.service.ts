import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { Listens } from '../../../../platform/discovery/listeners.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import { checkedAs } from '../../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { BaseCurrency } from '../../../../platform/money/money.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../../action-ledger/index.js';
import { ReplaceFinanceSettings } from './finance-settings.dto.js';
import { FinanceSettings } from './finance-settings.entity.js';

const ID = 'finance';

/** Manages the accounting settings of the organization: base currency, limits of dates, taxes of fees. */
@Injectable()
@Listens(BaseCurrency, 10)
export class FinanceSettingsService extends BaseCurrency {
  private readonly rows: Rows<FinanceSettings>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    super();
    this.rows = database.rows(FinanceSettings);
  }

  async get(): Promise<FinanceSettings> {
    return this.rows.get(ID);
  }

  async baseCurrency(): Promise<string> {
    return (await this.get()).baseCurrency;
  }

  async replace(input: ReplaceFinanceSettings, expected: ExpectedVersions): Promise<FinanceSettings> {
    return this.database.transaction(async () => {
      const settings = await this.rows.lock(ID);
      assertVersion(expected, settings);
      const before = settings.auditImage();
      await this.change(settings, input);
      this.ledger.record('finance.settings.replace', { ...subjectOf(settings), before, after: settings.auditImage() });
      return settings;
    });
  }

  /** Restores the earlier values. */
  @Reverses('finance.settings.replace')
  async reverseReplacement(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(ReplaceFinanceSettings, entry.before);
    const settings = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, settings);
    const before = settings.auditImage();
    await this.change(settings, restored);
    return { before, after: settings.auditImage() };
  }

  private async change(settings: FinanceSettings, input: ReplaceFinanceSettings): Promise<void> {
    if (input.baseCurrency !== settings.baseCurrency && (await this.hasPostings())) {
      throw conflict('currency_immutable', 'The base currency cannot be changed after the first posting', {
        baseCurrency: settings.baseCurrency,
      });
    }
    settings.replace(
      {
        baseCurrency: input.baseCurrency,
        issueDateBackDays: input.issueDateBackDays ?? 31,
        paidOnBackDays: input.paidOnBackDays ?? 400,
        cancellationFeeTax: input.cancellationFeeTax ?? 'outside_scope',
        refundDays: input.refundDays ?? 14,
        toleranceCents: input.toleranceCents ?? 0,
        taxCodesRequired: input.taxCodesRequired ?? false,
      },
      this.clock.now(),
    );
    await this.rows.update(settings);
    const data = { baseCurrency: settings.baseCurrency, version: settings.version };
    this.outbox.add({ channel: 'finance.settings', event: 'finance_settings.replaced', data });
  }

  /** Returns whether there are postings: documents with a number, payments, or approved supplier invoices. */
  private async hasPostings(): Promise<boolean> {
    const [row] = await this.database.prepared<{ posted: boolean }>(
      'finance-settings-postings',
      `select exists (select from invoices where number is not null)
         or exists (select from payments)
         or exists (select from supplier_invoices where approved_at is not null) as posted`,
      [],
    );
    return row?.posted ?? false;
  }
}

function subjectOf({ id }: FinanceSettings) {
  return { subjectType: 'finance_settings', subjectId: id };
}
