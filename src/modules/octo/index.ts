/** @public for the operations of partners */
export { ConnectionsService } from './connections/connections.service.js';
export { octoEvents } from './events.js';
export { OctoModule } from './octo.module.js';
/** @public for the provider of trips */
export type {
  OctoAvailability,
  OctoBooking,
  OctoMoney,
  OctoProduct,
  OctoSupplierInfo,
} from './external-suppliers/octo-answers.js';
/** @public for the provider of trips */
export {
  type AvailabilityAnswer,
  type AvailabilityRequest,
  type ExternalSupplierAccess,
  OctoClient,
  type OctoContact,
  type OctoFault,
  type OctoResult,
  type ReservationRequest,
} from './external-suppliers/octo-client.js';
