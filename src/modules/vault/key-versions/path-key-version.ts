import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';

const VERSION = /^[1-9]\d{0,8}$/;

const toVersion: PipeTransform<string, number> = {
  transform(text) {
    if (!VERSION.test(text)) throw notFound();
    return Number(text);
  },
};

/** Reads the number of a key version; other text is not found. */
export function PathKeyVersion(): ParameterDecorator {
  return PathText(
    'version',
    { description: 'Number of the key version, starting at 1.', maxLength: 9, pattern: VERSION, example: '1' },
    toVersion,
  );
}
