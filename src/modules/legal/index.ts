export { ContractsService } from './contracts/contracts.service.js';
export { contractSubject } from './contracts/contract-subject.js';
export { LegalDemo } from './legal.demo.js';
export { LegalModule } from './legal.module.js';
export { POLICY_KINDS, type PolicyKind } from './policies/policy-kind.js';
export {
  CANCELLATION_INITIATORS,
  CANCELLATION_OUTCOMES,
  type CancellationCost,
  type CancellationInitiator,
} from './terms/cancellation-cost.js';
export { REFUND_TYPES } from './policy-versions/policy-rule.js';
export { type Terms, type TermsLine, TermsService } from './terms/terms.service.js';
export { legalEvents } from './events.js';
