import { CheckedText } from '../../../platform/http/trade-fields.js';

const MAX_LENGTH = 35;

/** The canonical spelling of a BCP 47 tag (`EN-gb` is `en-GB`); null if the tag is not well-formed. */
export function canonicalLocale(tag: string): string | null {
  try {
    const [canonical = null] = tag.length <= MAX_LENGTH ? Intl.getCanonicalLocales(tag) : [];
    return canonical;
  } catch {
    return null;
  }
}

/** A property with a BCP 47 language tag. */
export function LocaleTag(): PropertyDecorator {
  const message = '$property must be a BCP 47 language tag, such as en-GB';
  return CheckedText('isLocale', (tag) => canonicalLocale(tag) !== null, { max: MAX_LENGTH, message });
}
