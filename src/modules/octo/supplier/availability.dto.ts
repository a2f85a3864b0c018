import { Clearable, ListOf, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { IgnoresUnknownMembers } from '../../../platform/validation/validate-dto.js';

/** Most ids and units in one request of the standard. */
export const MAX_IDS = 100;

/** How many of a unit the reseller wants to sell. */
@IgnoresUnknownMembers()
class WantedUnit {
  @Text({ max: 128 })
  id: string;

  @Whole({ min: 0, max: MAX_IDS })
  quantity: number;
}

@IgnoresUnknownMembers()
class AvailabilityQuestion {
  @Text({ max: 128 })
  productId: string;

  @Text({ max: 128 })
  optionId: string;

  @Clearable()
  @ListOf(() => WantedUnit, { max: MAX_IDS })
  units?: WantedUnit[] | null;

  @Clearable()
  @CurrencyCode()
  currency?: string | null;
}

@IgnoresUnknownMembers()
export class CalendarQuestion extends AvailabilityQuestion {
  @IsoDate()
  localDateStart: string;

  @IsoDate()
  localDateEnd: string;
}

@IgnoresUnknownMembers()
export class AvailabilityCheck extends AvailabilityQuestion {
  @Clearable()
  @IsoDate()
  localDateStart?: string | null;

  @Clearable()
  @IsoDate()
  localDateEnd?: string | null;

  @Clearable()
  @Texts({ max: MAX_IDS, maxLength: 128 })
  availabilityIds?: string[] | null;
}
