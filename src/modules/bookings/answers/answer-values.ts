import { invalidField } from '../../../platform/errors/app-error.js';
import { isCountry } from '../../../platform/http/countries.js';
import { isCalendarDay } from '../../../platform/time/calendar.js';
import { phoneNumber } from '../../customers/index.js';
import type { AskedQuestion } from '../../products/index.js';

const LONGEST_TEXT = 2_000;
const INTEGER = /^-?\d{1,10}$/;

/** The values of an answer in the form in which they are stored. Throws 400 with the path of the first that is invalid. */
export function answerValues(question: AskedQuestion, values: readonly string[], path: string): string[] {
  if (values.length !== 1 && question.type !== 'multi_choice') {
    throw invalidField(path, `${path} must have one value`, values.length === 0 ? 'too_few' : 'too_many');
  }
  if (new Set(values).size < values.length)
    throw invalidField(path, `${path} must not contain duplicates`, 'duplicate');
  return values.map((value, index) => answerValue(question, value, `${path}.${index}`));
}

function answerValue({ type, choices, ...bounds }: AskedQuestion, value: string, path: string): string {
  switch (type) {
    case 'text': {
      const max = bounds.maxLength ?? LONGEST_TEXT;
      if ([...value].length > max) throw invalidField(path, `${path} is too long`, 'too_long', { max });
      return value;
    }
    case 'choice':
    case 'multi_choice':
      return oneOf(
        choices.map((choice) => choice.value),
        value,
        path,
      );
    case 'integer': {
      if (!INTEGER.test(value)) throw wrongFormat(path, 'integer');
      const [number, min, max] = [Number(value), bounds.min ?? -Infinity, bounds.max ?? Infinity];
      if (number < min) throw invalidField(path, `${path} is too small`, 'too_small', { min });
      if (number > max) throw invalidField(path, `${path} is too large`, 'too_large', { max });
      return String(number);
    }
    case 'date':
      if (!isCalendarDay(value)) throw wrongFormat(path, 'date');
      return value;
    case 'boolean':
      return oneOf(['true', 'false'], value, path);
    case 'phone':
      return phoneNumber(value, { country: null, path });
    case 'country':
      if (!isCountry(value)) throw wrongFormat(path, 'country');
      return value;
  }
}

function oneOf(allowed: readonly string[], value: string, path: string): string {
  if (allowed.includes(value)) return value;
  throw invalidField(path, `${path} is not one of the choices`, 'unknown_value', { allowed });
}

function wrongFormat(path: string, format: string) {
  return invalidField(path, `${path} does not have the form of a ${format}`, 'wrong_format', { format });
}
