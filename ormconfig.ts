import { DataSource } from 'typeorm';
import { Platform1790000000000 } from './src/migrations/1790000000000-platform.js';
import { IdempotencySessions1790000000010 } from './src/migrations/1790000000010-idempotency-sessions.js';
import { ActionLedger1790000000100 } from './src/migrations/1790000000100-action-ledger.js';
import { Distribution1790000000200 } from './src/migrations/1790000000200-distribution.js';
import { Identity1790000000300 } from './src/migrations/1790000000300-identity.js';
import { Finance1790000000400 } from './src/migrations/1790000000400-finance.js';
import { Realtime1790000000800 } from './src/migrations/1790000000800-realtime.js';
import { RealtimeChannelIds1790000000810 } from './src/migrations/1790000000810-realtime-channel-ids.js';
import { Legal1790000000500 } from './src/migrations/1790000000500-legal.js';
import { Vault1790000000700 } from './src/migrations/1790000000700-vault.js';
import { ReferenceData1790000000900 } from './src/migrations/1790000000900-reference-data.js';
import { Connect1790000000600 } from './src/migrations/1790000000600-connect.js';
import { ConnectorProvider } from './src/modules/connect/connector-providers/connector-provider.entity.js';
import { OAuthClient } from './src/modules/connect/oauth-clients/oauth-client.entity.js';
import { OperatorGrant } from './src/modules/connect/operators/operator-grant.entity.js';
import { Operator } from './src/modules/connect/operators/operator.entity.js';
import { Channel } from './src/modules/distribution/channels/channel.entity.js';
import { SupplierInvoice } from './src/modules/finance/supplier-invoices/supplier-invoice.entity.js';
import { SupplierInvoiceLine } from './src/modules/finance/supplier-invoices/supplier-invoice-line.entity.js';
import { Contract } from './src/modules/legal/contracts/contract.entity.js';
import { ReviewSource } from './src/modules/reference-data/review-sources/review-source.entity.js';
import { ApiToken } from './src/modules/identity/api-tokens/api-token.entity.js';
import { StaffSession } from './src/modules/identity/sessions/staff-session.entity.js';
import { User } from './src/modules/identity/users/user.entity.js';
import { KeyVersion } from './src/modules/vault/keys/key-version.entity.js';
import { Vault } from './src/modules/vault/vaults/vault.entity.js';
import type { Env } from './src/platform/config/env.js';
import { dataSourceOptions } from './src/platform/database/data-source-options.js';

const entities = [
  Channel,
  ReviewSource,
  ApiToken,
  StaffSession,
  User,
  Contract,
  SupplierInvoice,
  SupplierInvoiceLine,
  ConnectorProvider,
  OAuthClient,
  Operator,
  OperatorGrant,
  KeyVersion,
  Vault,
];

const migrations = [
  Platform1790000000000,
  IdempotencySessions1790000000010,
  ActionLedger1790000000100,
  Distribution1790000000200,
  Identity1790000000300,
  Finance1790000000400,
  Realtime1790000000800,
  RealtimeChannelIds1790000000810,
  Legal1790000000500,
  Vault1790000000700,
  ReferenceData1790000000900,
  Connect1790000000600,
];

export function createDataSource(env: Pick<Env, 'databaseUrl' | 'databasePoolSize'>): DataSource {
  return new DataSource({ ...dataSourceOptions(env), entities, migrations });
}

/** For the `typeorm` command: `typeorm migration:generate ... -d dist/ormconfig.js`. The service makes its own. */
export default createDataSource({ databaseUrl: process.env['DATABASE_URL'] ?? '', databasePoolSize: 4 });
