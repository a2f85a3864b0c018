export { CustomersModule } from './customers.module.js';
export { customerEvents } from './events.js';
export type { CustomerCopy, CustomerPerson } from './customers/customer-copy.js';
export { customerSubject } from './customers/customer-subject.js';
export { CustomerListener, type MovedRecord } from './customers/customer-listener.js';
export { ConsentsService } from './customers/consents.service.js';
export { digitsOf, emailKey, isInternationalNumber, personName, phoneNumber } from './customers/contacts.js';
export {
  bookingIdsOf,
  type ErasureBlocker,
  type HeldData,
  latestOf,
  type Person,
  PersonalDataHolder,
  type PersonBooking,
} from './privacy/personal-data-holder.js';
export { SealedValues } from './customers/sealed-values.js';
export { ChangeTags, CreateCustomer, ListCustomers } from './customers/customer.dto.js';
export { CustomersService, type LockedCustomer } from './customers/customers.service.js';
