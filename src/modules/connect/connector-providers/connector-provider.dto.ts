import { KeptAsData, pageOf } from '../../../platform/http/dto.js';
import { Clearable, Nullable, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { FreeObject } from '../../../platform/http/trade-fields.js';
import { GIVEN_ID } from '../operators/operator.entity.js';
import { type ConnectorProvider, PROVIDER_KEY } from './connector-provider.entity.js';

const FORM_SCHEMA = { maxBytes: 65_536, maxDepth: 32 };
const CAPABILITIES = { max: 64, maxLength: 100, unique: true };

/** The new application form of a connector provider. */
export class UpdateConnectorProvider {
  /**
   * Definition of the complete form for applicants, at most 64 KiB and 32 levels deep. It is returned with its keys in
   * the order sent. Null removes the form.
   * @example { "fields": [{ "name": "licenceNumber", "label": "Licence number", "type": "text", "required": true }] }
   */
  @Nullable()
  @KeptAsData(FORM_SCHEMA)
  @FreeObject(FORM_SCHEMA)
  applicationFormSchema: Record<string, unknown> | null;
}

/** Paging of the list of connector providers. */
export class ListConnectorProviders {
  /** Maximum number of providers, 1 to 200; 200 by default. */
  @Optional()
  @QueryWhole({ min: 1, max: 200 })
  limit?: number;

  /** The number of providers to skip; 0 by default. */
  @Optional()
  @QueryWhole({ min: 0, max: 100_000 })
  offset?: number;
}

/** A row of the provisioning section `connectorProviders`. */
export class ConnectorProviderRow {
  @Text({ max: 63, pattern: PROVIDER_KEY })
  key: string;

  @Text({ max: 120 })
  name: string;

  @Texts(CAPABILITIES)
  capabilities: string[];

  @Clearable()
  @Text({ max: 2000, multiline: true })
  description?: string | null;

  /** The operator that owns the provider and may change its form; null, the default, for the platform. */
  @Clearable()
  @Text({ max: 64, pattern: GIVEN_ID })
  operatorId?: string | null;

  @Clearable()
  @KeptAsData(FORM_SCHEMA)
  @FreeObject(FORM_SCHEMA)
  applicationFormSchema?: Record<string, unknown> | null;
}

/** A provider of products to which operators can connect. Provisioning creates providers. */
export class ConnectorProviderResponse {
  /** Unique key chosen when the provider was provisioned. */
  @Text({ max: 63, pattern: PROVIDER_KEY })
  key: string;

  /** Name for display. */
  @Text({ max: 120 })
  name: string;

  /** Capabilities of the provider, as keys. */
  @Texts(CAPABILITIES)
  capabilities: string[];

  /** Description for display; null if there is none. */
  @Text({ max: 2000 })
  description: string | null;

  /** Definition of the form for applicants, with its keys in the order sent; null if there is none. */
  @FreeObject(FORM_SCHEMA)
  applicationFormSchema: Record<string, unknown> | null;
}

export function toConnectorProvider(provider: ConnectorProvider): ConnectorProviderResponse {
  return respond(ConnectorProviderResponse, provider);
}

export class ConnectorProviderPage extends pageOf(ConnectorProviderResponse) {}
