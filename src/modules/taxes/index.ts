export { taxEvents } from './events.js';
export { includedTax } from './tax-codes/included-tax.js';
export { TAX_KINDS, type TaxKind } from './tax-codes/tax-kinds.js';
export { type OtherRateSales, TaxCodeListener } from './tax-codes/tax-code-listener.js';
export { rateMissing, type TaxMention, TaxCodesService, type TaxOfDay } from './tax-codes/tax-codes.service.js';
export { TaxesModule } from './taxes.module.js';
