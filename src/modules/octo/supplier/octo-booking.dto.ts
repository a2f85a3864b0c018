import { Clearable, Flag, ListOf, Nested, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, EmailAddress, IsoDate } from '../../../platform/http/trade-fields.js';
import { IgnoresUnknownMembers } from '../../../platform/validation/validate-dto.js';
import { MAX_IDS } from './availability.dto.js';
import type { OctoContact } from './octo-booking.entity.js';

const MAX_MINUTES = 1_000_000;

@IgnoresUnknownMembers()
export class ContactBody {
  @Clearable()
  @Text({ min: 0, max: 255 })
  fullName?: string | null;

  @Clearable()
  @Text({ min: 0, max: 255 })
  firstName?: string | null;

  @Clearable()
  @Text({ min: 0, max: 255 })
  lastName?: string | null;

  @Clearable()
  @EmailAddress()
  emailAddress?: string | null;

  @Clearable()
  @Text({ min: 0, max: 50 })
  phoneNumber?: string | null;

  @Clearable()
  @Texts({ max: 20, maxLength: 35 })
  locales?: string[] | null;

  @Clearable()
  @Text({ min: 0, max: 20 })
  postalCode?: string | null;

  @Clearable()
  @Text({ min: 0, max: 100 })
  country?: string | null;

  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;
}

@IgnoresUnknownMembers()
export class UnitItemBody {
  @Clearable()
  @Text({ max: 64 })
  uuid?: string | null;

  @Text({ max: 128 })
  unitId: string;

  @Clearable()
  @Text({ min: 0, max: 255 })
  resellerReference?: string | null;

  @Clearable()
  @Nested(() => ContactBody)
  contact?: ContactBody | null;
}

/** What a reservation and its change have in common. */
@IgnoresUnknownMembers()
class ReservationTerms {
  @Clearable()
  @Text({ max: 128 })
  availabilityId?: string | null;

  @Clearable()
  @ListOf(() => UnitItemBody, { max: MAX_IDS })
  unitItems?: UnitItemBody[] | null;

  @Clearable()
  @Whole({ min: 1, max: MAX_MINUTES })
  expirationMinutes?: number | null;

  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  @Clearable()
  @Text({ min: 0, max: 255 })
  resellerReference?: string | null;

  @Clearable()
  @Nested(() => ContactBody)
  contact?: ContactBody | null;
}

@IgnoresUnknownMembers()
export class ReservationBody extends ReservationTerms {
  @Clearable()
  @Text({ max: 64 })
  uuid?: string | null;

  @Text({ max: 128 })
  productId: string;

  @Text({ max: 128 })
  optionId: string;

  @Clearable()
  @CurrencyCode()
  currency?: string | null;
}

@IgnoresUnknownMembers()
export class ReservationChanges extends ReservationTerms {
  @Clearable()
  @Text({ max: 128 })
  productId?: string | null;

  @Clearable()
  @Text({ max: 128 })
  optionId?: string | null;
}

@IgnoresUnknownMembers()
export class ConfirmationBody {
  @Nested(() => ContactBody)
  contact: ContactBody;

  @Clearable()
  @Text({ min: 0, max: 255 })
  resellerReference?: string | null;

  @Clearable()
  @ListOf(() => UnitItemBody, { max: MAX_IDS })
  unitItems?: UnitItemBody[] | null;

  @Clearable()
  @Flag()
  emailReceipt?: boolean | null;
}

@IgnoresUnknownMembers()
export class ExtensionBody {
  @Clearable()
  @Whole({ min: 1, max: MAX_MINUTES })
  expirationMinutes?: number | null;
}

@IgnoresUnknownMembers()
export class CancellationBody {
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  reason?: string | null;

  @Clearable()
  @Flag()
  force?: boolean | null;
}

@IgnoresUnknownMembers()
export class ListReservations {
  @Clearable()
  @Text({ max: 255 })
  resellerReference?: string;

  @Clearable()
  @Text({ max: 255 })
  supplierReference?: string;

  @Clearable()
  @IsoDate()
  localDate?: string;

  @Clearable()
  @IsoDate()
  localDateStart?: string;

  @Clearable()
  @IsoDate()
  localDateEnd?: string;
}

/** Members that the reseller did not send are null; the standard wants all of them in the answer. */
export function contactOf(body: ContactBody | null | undefined): OctoContact {
  return {
    fullName: body?.fullName ?? null,
    firstName: body?.firstName ?? null,
    lastName: body?.lastName ?? null,
    emailAddress: body?.emailAddress ?? null,
    phoneNumber: body?.phoneNumber ?? null,
    locales: body?.locales ?? [],
    postalCode: body?.postalCode ?? null,
    country: body?.country ?? null,
    notes: body?.notes ?? null,
  };
}
