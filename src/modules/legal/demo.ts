import { demoId } from '../../platform/ids/id.js';
import type { ContractTransitions } from './contracts/contract-transitions.service.js';
import type { Contracts } from './contracts/contracts.service.js';

type Stage = 'draft' | 'issued' | 'sent' | 'void';

const CONTRACTS: readonly (readonly [title: string, stage: Stage])[] = [
  ['Travel contract Danube cruise 2027', 'draft'],
  ['Travel contract city tour Bucharest', 'issued'],
  ['Travel contract Dolomites 2027', 'sent'],
  ['Travel contract Lisbon weekend, to be changed', 'draft'],
  ['Travel contract Azores, to be issued', 'draft'],
  ['Travel contract Crete, to be dispatched', 'issued'],
  ['Travel contract Tallinn, to be declared void', 'issued'],
  ['Travel contract Malta, called off', 'void'],
];

const RECIPIENT = { recipientName: 'Clara Ionescu', recipientEmail: 'clara.ionescu@example.com' };

/**
 * The contracts that the API document's examples name: 1 a draft, 2 issued, 3 sent (the public one), 4 to be changed,
 * 5 to be issued, 6 to be dispatched, 7 to be voided, 8 void.
 */
export async function loadDemoContracts(contracts: Contracts, transitions: ContractTransitions): Promise<void> {
  for (const [index, [title, stage]] of CONTRACTS.entries()) {
    const id = demoId('ctr', index + 1);
    const body = `<h1>${title}</h1><p>The organizer provides the services listed in the confirmation.</p>`;
    await contracts.create({ title, body, ...RECIPIENT, metadata: { source: 'demo' } }, id);
    if (stage !== 'draft') await transitions.issue(id, null);
    if (stage === 'sent') await transitions.dispatch(id, {}, null);
    if (stage === 'void') await transitions.void(id, 'Called off by the customer', null);
  }
}
