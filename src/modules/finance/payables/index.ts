export { SupplierInvoicesService } from './supplier-invoices.service.js';
