export { LegalModule } from './legal.module.js';
export { POLICY_KINDS, type PolicyKind } from './policies/policy-kind.js';
export { type Terms, TermsInForce, type TermsLine } from './terms/terms-in-force.service.js';
export { legalEvents } from './events.js';
