import { buildMessage, ValidateBy, type ValidateByOptions, type ValidationOptions } from 'class-validator';

/*
 * Lengths in code points, as PostgreSQL and JSON Schema count them. class-validator's own decorators count a character and
 * its variation selector as one, so up to twice the length would reach the database.
 */

/** At least `min` characters. */
export function MinLength(min: number, options?: ValidationOptions): PropertyDecorator {
  const message = `$property must be longer than or equal to ${min} characters`;
  return ValidateBy(
    rule('minLength', { bound: min, fits: (characters) => characters >= min, message }, options),
    options,
  );
}

/** At most `max` characters. `validateDto` reads the number before other rules read the text. */
export function MaxLength(max: number, options?: ValidationOptions): PropertyDecorator {
  const message = maxLengthMessage('$property', max);
  return ValidateBy(
    rule('maxLength', { bound: max, fits: (characters) => characters <= max, message }, options),
    options,
  );
}

export function maxLengthMessage(property: string, max: number): string {
  return `${property} must be shorter than or equal to ${max} characters`;
}

export function charactersOf(text: string): number {
  let characters = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
    characters += 1;
  }
  return characters;
}

function rule(
  name: string,
  { bound, fits, message }: { bound: number; fits: (characters: number) => boolean; message: string },
  options: ValidationOptions | undefined,
): ValidateByOptions {
  const validate = (value: unknown) => typeof value === 'string' && fits(charactersOf(value));
  const defaultMessage = buildMessage((each) => each + message, options);
  return { name, constraints: [bound], validator: { validate, defaultMessage } };
}
