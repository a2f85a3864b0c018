import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { UpdateOrganizationSettings } from './organization-settings.dto.js';
import { OrganizationSettings } from './organization-settings.entity.js';

const ID = 'organization';

/** Manages the settings of the organization that do not concern accounting. */
@Injectable()
export class OrganizationSettingsService {
  private readonly rows: Rows<OrganizationSettings>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(OrganizationSettings);
  }

  async get(): Promise<OrganizationSettings> {
    return this.rows.get(ID);
  }

  async update(changes: UpdateOrganizationSettings, expected: ExpectedVersions): Promise<OrganizationSettings> {
    return this.database.transaction(async () => {
      const settings = await this.rows.lock(ID);
      assertVersion(expected, settings);
      const before = settings.auditImage();
      await this.change(settings, changes);
      const after = settings.auditImage();
      this.ledger.record('organization.settings.update', {
        subjectType: 'organization_settings',
        subjectId: ID,
        before,
        after,
      });
      return settings;
    });
  }

  /** Restores the earlier values. */
  @Reverses('organization.settings.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateOrganizationSettings, entry.before);
    const settings = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, settings);
    const before = settings.auditImage();
    await this.change(settings, restored);
    return { before, after: settings.auditImage() };
  }

  private async change(settings: OrganizationSettings, changes: UpdateOrganizationSettings): Promise<void> {
    settings.change(changes, this.clock.now());
    await this.rows.update(settings);
    const { version } = settings;
    this.outbox.add({ channel: 'organization.settings', event: 'organization_settings.updated', data: { version } });
  }
}
