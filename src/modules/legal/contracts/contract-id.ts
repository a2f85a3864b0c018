import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { demoId, randomBase32 } from '../../../platform/ids/id.js';

const FORM = /^ctr_[0-9a-hjkmnp-tv-z]{26}$/;
const LENGTH = 30;

/**
 * Everyone who knows the id of a contract can read the contract, so it must not be guessable: 130 random bits, not a UUIDv7,
 * which contains the time of creation.
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

/** The path parameter `id` of a contract; 404 if it is malformed. `demo` is the number of the demo contract in the example. */
export function PathContractId(demo: number): ParameterDecorator {
  return PathText(
    'id',
    { description: 'ID of the contract, which starts with `ctr_`.', maxLength: LENGTH, example: demoId('ctr', demo) },
    new ContractIdPipe(),
  );
}
