import type { PipeTransform } from '@nestjs/common';
import { notFound } from '../../../platform/errors/app-error.js';
import { PathText } from '../../../platform/http/path-id.js';
import { demoId, randomBase32 } from '../../../platform/ids/id.js';

/** The prefix of references. */
export const REFERENCE = 'ctrf';

const PUBLIC_ID = /^ctr_[0-9a-hjkmnp-tv-z]{26}$/;
const ID_OR_REFERENCE = /^ctrf?_[0-9a-hjkmnp-tv-z]{26}$/;
/** An example with the form of a public id. It opens nothing, because real ones are secret. */
const EXAMPLE = 'ctr_01k0examp1e000000000000001';

/**
 * Everyone who knows the public id of a contract can read the contract, so it must not be guessable. It has 130 random bits; a
 * UUIDv7 would contain the time of creation.
 */
export function newPublicId(): string {
  return `ctr_${randomBase32(26)}`;
}

class FormPipe implements PipeTransform<string, string> {
  constructor(private readonly form: RegExp) {}

  transform(value: string): string {
    if (!this.form.test(value)) throw notFound();
    return value;
  }
}

/** The path parameter `id` of the public operation. A malformed one is not found. */
export function PathPublicId(): ParameterDecorator {
  const description =
    'ID of the contract, which starts with `ctr_`. It is secret, so this one is an example only. Copy it from `data.id` of `POST /v1/admin/legal/contracts`.';
  return PathText('id', { description, maxLength: 30, example: EXAMPLE }, new FormPipe(PUBLIC_ID));
}

/** The path parameter `id` of the staff operations. `demo` is the number of the demo contract in the example. */
export function PathContract(demo: number): ParameterDecorator {
  const description = 'ID of the contract (`ctr_`), or its reference (`ctrf_`), which grants no public access.';
  const rule = { description, maxLength: 31, example: demoId(REFERENCE, demo) };
  return PathText('id', rule, new FormPipe(ID_OR_REFERENCE));
}
