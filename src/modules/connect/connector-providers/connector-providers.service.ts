import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { type ConnectorProviderResponse, ConnectorProviderRow, toConnectorProvider } from './connector-provider.dto.js';
import { ConnectorProvider } from './connector-provider.entity.js';

@Injectable()
export class ConnectorProviders {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** By key. */
  async list(bounds: { limit: number; offset: number }): Promise<{ providers: ConnectorProvider[]; total: number }> {
    const { limit: take, offset: skip } = bounds;
    const providers = this.database.repository(ConnectorProvider);
    const [page, total] = await providers.findAndCount({ order: { key: 'ASC' }, take, skip });
    return { providers: page, total };
  }

  /** The schema replaces the old one as a whole. Throws 404, 412. */
  async replaceForm(
    key: string,
    schema: Record<string, unknown> | null,
    expected: ExpectedVersions,
  ): Promise<ConnectorProvider> {
    return this.database.transaction(async () => {
      const provider = await this.findLocked(key);
      if (!provider) throw notFound({ resource: 'connector_provider' });
      assertVersion(expected, provider);
      return this.change(provider, { applicationFormSchema: schema });
    });
  }

  /** Provisioning: creates or updates by key, all or nothing. Members that a row leaves out stay as they are. */
  @Provisions({ name: 'connectorProviders', order: 320, row: ConnectorProviderRow })
  async apply(rows: ConnectorProviderRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of [...rows].sort((a, b) => (a.key < b.key ? -1 : 1))) await this.applyRow(row);
    });
  }

  private async applyRow(row: ConnectorProviderRow): Promise<void> {
    const { key, name, capabilities } = row;
    const found = await this.findLocked(key);
    const description = row.description === undefined ? (found?.description ?? null) : row.description;
    const given = row.applicationFormSchema;
    const applicationFormSchema = given === undefined ? (found?.applicationFormSchema ?? null) : given;
    const wanted = { key, name, capabilities, description, applicationFormSchema };

    if (!found) await this.add(wanted);
    else if (
      JSON.stringify(toConnectorProvider(found)) !== JSON.stringify(toConnectorProvider({ ...found, ...wanted }))
    )
      await this.change(found, wanted);
  }

  private async add(facts: ConnectorProviderResponse): Promise<void> {
    const now = this.clock.now();
    const provider = make(ConnectorProvider, { ...facts, version: 1, createdAt: now, updatedAt: now });
    await this.database.insert(provider);
    this.record('create', provider, null);
  }

  private async findLocked(key: string): Promise<ConnectorProvider | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.repository(ConnectorProvider).findOne({ where: { key }, lock });
  }

  private async change(
    provider: ConnectorProvider,
    changes: Partial<ConnectorProviderResponse>,
  ): Promise<ConnectorProvider> {
    const before = toConnectorProvider(provider);
    Object.assign(provider, changes, { version: provider.version + 1, updatedAt: this.clock.now() });
    const { key, name, description, capabilities, applicationFormSchema: schema, version, updatedAt } = provider;
    // By hand, because TypeORM looks for columns inside the schema.
    await this.database.execute(
      `update connector_providers
       set name = $2, description = $3, capabilities = $4, application_form_schema = $5::json, version = $6, updated_at = $7
       where key = $1`,
      [key, name, description, capabilities, schema && JSON.stringify(schema), version, updatedAt],
    );
    this.record('update', provider, before);
    return provider;
  }

  private record(verb: 'create' | 'update', provider: ConnectorProvider, before: object | null): void {
    const subject = { subjectType: 'connector_provider', subjectId: provider.key };
    this.ledger.record(`connect.connector_provider.${verb}`, {
      ...subject,
      before,
      after: toConnectorProvider(provider),
    });
  }
}
