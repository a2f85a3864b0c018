import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { Operator } from '../operators/operator.entity.js';
import { ConnectorProviderRow } from './connector-provider.dto.js';
import { ConnectorProvider } from './connector-provider.entity.js';

type Values = Pick<
  ConnectorProvider,
  'key' | 'name' | 'operatorId' | 'capabilities' | 'description' | 'applicationFormSchema'
>;

/** A caller bound to an operator sees the providers of the operator and the platform, and can change only the operator's. */
@Injectable()
export class ConnectorProvidersService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async list(bounds: { limit: number; offset: number }): Promise<{ providers: ConnectorProvider[]; total: number }> {
    const { limit: take, offset: skip } = bounds;
    const providers = this.database.repository(ConnectorProvider);
    const [page, total] = await providers.findAndCount({ where: visible(), order: { key: 'ASC' }, take, skip });
    return { providers: page, total };
  }

  /** Replaces the complete form definition. An unknown provider and one of another owner get the same 404. */
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

  /**
   * Creates or updates providers by key, all or none. Members that a row omits keep their values. An unknown owner is an error.
   */
  @Provisions({ name: 'connectorProviders', order: 320, row: ConnectorProviderRow })
  async provision(rows: ConnectorProviderRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of [...rows].sort((a, b) => (a.key < b.key ? -1 : 1))) await this.provisionRow(row);
    });
  }

  private async provisionRow(row: ConnectorProviderRow): Promise<void> {
    const { key, name, capabilities } = row;
    const found = await this.findLocked(key);
    const operatorId = row.operatorId === undefined ? (found?.operatorId ?? null) : row.operatorId;
    const known = operatorId === null || (await this.database.repository(Operator).existsBy({ id: operatorId }));
    if (!known) throw new Error(`connectorProviders: ${key} has the owner ${operatorId}, which does not exist`);
    const description = row.description === undefined ? (found?.description ?? null) : row.description;
    const given = row.applicationFormSchema;
    const applicationFormSchema = given === undefined ? (found?.applicationFormSchema ?? null) : given;
    const wanted = { key, name, operatorId, capabilities, description, applicationFormSchema };

    if (!found) return this.insert(wanted);
    const changed = Object.assign(new ConnectorProvider(), found, wanted);
    if (JSON.stringify(found.auditImage()) !== JSON.stringify(changed.auditImage())) await this.change(found, wanted);
  }

  private async insert(values: Values): Promise<void> {
    const now = this.clock.now();
    const provider = make(ConnectorProvider, { ...values, createdAt: now });
    await this.database.insert(provider);
    this.record('create', provider, null);
  }

  private async findLocked(key: string): Promise<ConnectorProvider | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.repository(ConnectorProvider).findOne({ where: { ...owned(), key }, lock });
  }

  private async change(provider: ConnectorProvider, changes: Partial<Values>): Promise<ConnectorProvider> {
    const before = provider.auditImage();
    Object.assign(provider, changes, { version: provider.version + 1, updatedAt: this.clock.now() });
    const {
      key,
      name,
      operatorId,
      description,
      capabilities,
      applicationFormSchema: schema,
      version,
      updatedAt,
    } = provider;
    // Uses SQL, because TypeORM interprets the members of the form definition as columns.
    await this.database.execute(
      `update connector_providers
       set name = $2, description = $3, capabilities = $4, application_form_schema = $5::json, version = $6,
         updated_at = $7, operator_id = $8
       where key = $1`,
      [key, name, description, capabilities, schema && JSON.stringify(schema), version, updatedAt, operatorId],
    );
    this.record('update', provider, before);
    return provider;
  }

  private record(verb: 'create' | 'update', provider: ConnectorProvider, before: object | null): void {
    const subject = { subjectType: 'connector_provider', subjectId: provider.key };
    this.ledger.record(`connect.connector_provider.${verb}`, { ...subject, before, after: provider.auditImage() });
  }
}

/** Selects the providers that the caller may change. */
function owned(): FindOptionsWhere<ConnectorProvider> {
  const { operatorId } = currentActor();
  return operatorId === null ? {} : { operatorId };
}

/** Selects the providers that the caller may see. */
function visible(): FindOptionsWhere<ConnectorProvider>[] {
  const { operatorId } = currentActor();
  return operatorId === null ? [{}] : [{ operatorId }, { operatorId: IsNull() }];
}
