import { KeptAsData, pageOf } from '../../../platform/http/dto.js';
import { Clearable, Nullable, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { FreeObject } from '../../../platform/http/trade-fields.js';
import { type ConnectorProvider, PROVIDER_KEY } from './connector-provider.entity.js';

const FORM_SCHEMA = { maxBytes: 65_536, maxDepth: 32 };
const CAPABILITIES = { max: 64, maxLength: 100, unique: true };

export class UpdateConnectorProvider {
  /** The whole form that an applicant fills in, at most 64 KiB and 32 levels; it comes back with its keys in the order sent. Null clears it.
   * @example { "fields": [{ "name": "licenceNumber", "label": "Licence number", "type": "text", "required": true }] } */
  @Nullable()
  @KeptAsData(FORM_SCHEMA)
  @FreeObject(FORM_SCHEMA)
  applicationFormSchema: Record<string, unknown> | null;
}

/** Existing clients do not page: the default page is as large as a page can be. */
export class ListConnectorProviders {
  /** How many, 1 to 200; 200 unless given. */
  @Optional()
  @QueryWhole({ min: 1, max: 200 })
  limit?: number;

  /** How many to pass over. */
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

  @Clearable()
  @KeptAsData(FORM_SCHEMA)
  @FreeObject(FORM_SCHEMA)
  applicationFormSchema?: Record<string, unknown> | null;
}

export class ConnectorProviderResponse {
  @Text({ max: 63, pattern: PROVIDER_KEY })
  key: string;

  @Text({ max: 120 })
  name: string;

  @Texts(CAPABILITIES)
  capabilities: string[];

  @Text({ max: 2000 })
  description: string | null;

  @FreeObject(FORM_SCHEMA)
  applicationFormSchema: Record<string, unknown> | null;
}

export function toConnectorProvider(provider: ConnectorProvider): ConnectorProviderResponse {
  return {
    key: provider.key,
    name: provider.name,
    capabilities: provider.capabilities,
    description: provider.description,
    applicationFormSchema: provider.applicationFormSchema,
  };
}

export class ConnectorProviderPage extends pageOf(ConnectorProviderResponse) {}
