import { Flag, Optional, Text } from '../../../platform/http/fields.js';
import { SLUG } from './vault-slug.js';

/** A row of the provisioning section `vaults`. Members that are not set keep their value. */
export class VaultRow {
  @Text({ max: SLUG.maxLength, pattern: SLUG.pattern, verbatim: true })
  slug: string;

  /** Name for display; the slug by default. */
  @Optional()
  @Text({ max: 120 })
  name?: string;

  /** An archived vault neither encrypts nor decrypts; false restores it. */
  @Optional()
  @Flag()
  archived?: boolean;
}
