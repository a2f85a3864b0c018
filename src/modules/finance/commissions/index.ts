export { type CommissionLine, RECIPIENT_TYPES, type RecipientType } from './commission-line.entity.js';
export { CommissionEnvelope, toCommission } from './commission.dto.js';
export { type CommissionTarget, CommissionsService } from './commissions.service.js';
