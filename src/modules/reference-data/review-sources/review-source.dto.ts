import { applyDecorators } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { Optional, Text, Texts } from '../../../platform/http/fields.js';
import { ArrayUnique } from '../../../platform/validation/validate-dto.js';
import { languageCatalog } from '../languages/language-catalog.js';

/** The key or an alias of a review source in a path. */
export const REVIEW_SOURCE_NAME = { maxLength: 63, pattern: /^[a-z0-9-]{1,63}$/ };

/** A row of the provisioning section `reviewSources`. Members that are not set keep their value. */
export class ReviewSourceRow {
  @Text({ max: REVIEW_SOURCE_NAME.maxLength, pattern: REVIEW_SOURCE_NAME.pattern, verbatim: true })
  key: string;

  /** Codes of the language catalog; required for a new source. */
  @Optional()
  @CatalogCodes()
  languages?: string[];

  /** Other names of the source. The list replaces the current one. */
  @Optional()
  @Texts({ max: 50, ...REVIEW_SOURCE_NAME })
  @ArrayUnique()
  aliases?: string[];
}

function CatalogCodes(): PropertyDecorator {
  return applyDecorators(
    Texts({ min: 1, max: 1000, maxLength: 8 }),
    ArrayUnique(),
    IsIn(languageCatalog.codes, { each: true, message: '$property must be codes of the language catalog' }),
  );
}
