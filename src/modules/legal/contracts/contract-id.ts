import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { demoId, randomBase32 } from '../../../platform/ids/id.js';

const FORM = /^ctr_[0-9a-hjkmnp-tv-z]{26}$/;
const LENGTH = 30;

/**
 * Whoever knows a contract's id may read the contract, so it must not be guessed: 130 random bits, and no UUIDv7,
 * which would tell when it was made.
 */
export function newContractId(): string {
  return `ctr_${randomBase32(26)}`;
}

class ContractIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!FORM.test(value)) throw notFound();
    return value;
  }
}

/**
 * The path parameter `id` of a contract; a malformed one is 404 without a question to the database. `demo` is the number
 * of the demo contract that the API document shows.
 */
export function PathContractId(demo: number): ParameterDecorator {
  return PathText(
    'id',
    { description: 'ID of the contract, which starts with `ctr_`.', maxLength: LENGTH, example: demoId('ctr', demo) },
    new ContractIdPipe(),
  );
}
