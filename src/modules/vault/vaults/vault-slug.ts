import type { PipeTransform } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';

/** The specification defines the grammar; the length is the limit of a DNS label. */
export const SLUG = { maxLength: 63, pattern: /^[a-z0-9-]+$/ };

const DESCRIPTION =
  'Slug of the vault: 1 to 63 lower-case letters, digits and hyphens, the length of a DNS label; any other slug is 400.';

class SlugPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (value.length <= SLUG.maxLength && SLUG.pattern.test(value)) return value;
    throw invalidField('vaultSlug', 'must be 1 to 63 lower-case letters, digits and hyphens', 'wrong_format');
  }
}

/** Reads the vault's slug from the path; other text is 400. */
export function VaultSlug(example = 'primary'): ParameterDecorator {
  return PathText('vaultSlug', { ...SLUG, description: DESCRIPTION, example }, new SlugPipe());
}
