import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBIC, IsIBAN } from 'class-validator';
import { MaxLength } from '../validation/validate-dto.js';

/** Spaces are removed, because IBANs are printed in groups of four. */
function compact(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[ \u00a0]/g, '').toUpperCase() : value;
}

/** An IBAN, checked by length and structure of its country, and by its check digits (mod 97). */
export function Iban(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => compact(value)),
    IsIBAN({}, { message: '$property must be an IBAN with valid check digits' }),
    MaxLength(34),
    ApiProperty({ type: 'string', minLength: 15, maxLength: 34, pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]+$' }),
  );
}

/** A BIC (SWIFT code), of 8 or 11 characters. */
export function Bic(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => compact(value)),
    IsBIC({ message: '$property must be a BIC of 8 or 11 characters' }),
    MaxLength(11),
    ApiProperty({ type: 'string', minLength: 8, maxLength: 11 }),
  );
}
