import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

/** At most `max` elements. `validateDto` reads the number and does not validate the elements of a longer list. */
export function ArrayMaxSize(max: number): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && value.length <= max;
  const defaultMessage = () => arrayMaxSizeMessage('$property', max);
  return ValidateBy({ name: 'arrayMaxSize', constraints: [max], validator: { validate, defaultMessage } });
}

export function arrayMaxSizeMessage(property: string, max: number): string {
  return `${property} must contain no more than ${max} elements`;
}

/** Unique elements, in linear time: class-validator's own decorator compares each element with all others. */
export function ArrayUnique(options: ValidationOptions = {}): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && new Set(value).size === value.length;
  const defaultMessage = buildMessage((each) => `${each}All $property's elements must be unique`, options);
  return ValidateBy({ name: 'arrayUnique', validator: { validate, defaultMessage } }, options);
}
