import { Clearable, Flag, Optional, Text } from '../../../platform/http/fields.js';
import { SLUG } from './vault-slug.js';

/** A row of the provisioning section `vaults`. Members that are not set keep their value. */
export class VaultRow {
  @Text({ max: SLUG.maxLength, pattern: SLUG.pattern, verbatim: true })
  slug: string;

  /** Name for display; the slug by default. */
  @Optional()
  @Text({ max: 120 })
  name?: string;

  /** The operator that owns the vault: keys bound to other operators do not find it. Null, the default, for the platform. */
  @Clearable()
  @Text({ max: 64, pattern: /^[A-Za-z0-9_-]+$/ })
  operatorId?: string | null;

  /** An archived vault neither encrypts nor decrypts; false restores it. */
  @Optional()
  @Flag()
  archived?: boolean;
}
