import { AppError } from '../../../platform/errors/app-error.js';

const MAX_ECHO = 128;

/** The ids in a request that the standard wants repeated in its errors. */
type OffendingId =
  | ['INVALID_PRODUCT_ID', 'productId']
  | ['INVALID_OPTION_ID', 'optionId']
  | ['INVALID_UNIT_ID', 'unitId']
  | ['INVALID_AVAILABILITY_ID', 'availabilityId']
  | ['INVALID_BOOKING_UUID', 'uuid'];

const MESSAGES: Record<OffendingId[0], string> = {
  INVALID_PRODUCT_ID: 'The product is unknown or not offered to this reseller',
  INVALID_OPTION_ID: 'The option is unknown or not offered to this reseller',
  INVALID_UNIT_ID: 'The unit is unknown or not offered to this reseller',
  INVALID_AVAILABILITY_ID: 'The availability is unknown or belongs to another option',
  INVALID_BOOKING_UUID: 'The booking is unknown, or its uuid was used for another order',
};

/** Creates the error for an id that is unknown, or that the reseller may not use. */
export function invalidId(...[code, member, id]: [...OffendingId, string]): AppError {
  return new AppError(400, code, MESSAGES[code], { details: { [member]: id.slice(0, MAX_ECHO).toWellFormed() } });
}

/** Creates the error for a request that is well-formed but impossible. */
export function unprocessableOrder(message: string): AppError {
  return new AppError(400, 'UNPROCESSABLE_ENTITY', message);
}

/** Creates the error for a request that makes no sense. */
export function badRequest(message: string): AppError {
  return new AppError(400, 'BAD_REQUEST', message);
}
