import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

/*
 * Lengths in code points, as PostgreSQL and JSON Schema count them. class-validator's own decorators take a character
 * and the variation selector behind it for one, so up to twice the length would reach the database.
 */

/** At least so many characters. */
export function MinLength(min: number, options?: ValidationOptions): PropertyDecorator {
  return length('minLength', (characters) => characters >= min, {
    message: `$property must be longer than or equal to ${min} characters`,
    options,
  });
}

/** At most so many characters. */
export function MaxLength(max: number, options?: ValidationOptions): PropertyDecorator {
  return length('maxLength', (characters) => characters <= max, {
    message: `$property must be shorter than or equal to ${max} characters`,
    options,
  });
}

export function charactersOf(text: string): number {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return text.length - pairs;
}

function length(
  name: string,
  fits: (characters: number) => boolean,
  { message, options }: { message: string; options: ValidationOptions | undefined },
): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && fits(charactersOf(value));
  const defaultMessage = buildMessage((each) => each + message, options);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, options);
}
