import { extensible } from '../../../platform/http/named-values.js';

export const FINDING_CODES = extensible('LedgerFindingCode', [
  'checkpoint_file_missing',
  'checkpoint_forged',
  'checkpoint_invalid',
  'checkpoint_key_missing',
  'checkpoint_missing',
  'differs_from_checkpoint',
  'erased_without_record',
  'erasure_mismatch',
  'no_checkpoint',
  'older_than_checkpoint',
  'reversal_mismatch',
]);

/** A contradiction between the ledger and other records of the service; breaks of chains are reported separately. */
export interface Finding {
  code: (typeof FINDING_CODES)[number];
  chain: number | null;
  position: number | null;
  entryId: string | null;
  message: string;
}
