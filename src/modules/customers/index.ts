export { CustomersModule } from './customers.module.js';
export { customerEvents } from './events.js';
export type { CustomerCopy } from './customers/customer-copy.js';
export { CustomerListener, type MovedRecord } from './customers/customer-listener.js';
export { CustomersService } from './customers/customers.service.js';
