import { Flag, Optional, Text } from '../../../platform/http/fields.js';
import { SLUG } from './vault-slug.js';

/** A row of the provisioning section `vaults`. What it leaves out stays as it is. */
export class VaultRow {
  @Text({ max: SLUG.maxLength, pattern: SLUG.pattern, verbatim: true })
  slug: string;

  /** The slug unless given. */
  @Optional()
  @Text({ max: 120 })
  name?: string;

  /** An archived vault neither encrypts nor decrypts; false restores it. */
  @Optional()
  @Flag()
  archived?: boolean;
}
