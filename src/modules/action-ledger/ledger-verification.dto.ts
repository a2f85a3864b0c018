import { dataOf } from '../../platform/http/dto.js';
import { Flag, Id, ListOf, Optional, Text, Whole } from '../../platform/http/fields.js';
import { QueryWhole } from '../../platform/http/query-fields.js';
import type { Verification } from './ledger-verification.service.js';
import { CHAINS } from './sealed-entry.js';

const MOST = Number.MAX_SAFE_INTEGER;

export class VerifyLedger {
  /** One chain alone, 0 to 63; all unless given. */
  @Optional()
  @QueryWhole({ min: 0, max: CHAINS - 1 })
  chain?: number;

  /** Where to begin: the `nextChain` of an answer that did not come to the end. Beside `chain` it says nothing. */
  @Optional()
  @QueryWhole({ min: 0, max: CHAINS - 1 })
  fromChain?: number;
}

export class BreakResponse {
  @Whole({ min: 0, max: CHAINS - 1 })
  chain: number;

  @Whole({ min: 1, max: MOST })
  position: number;

  /** Null where there is no entry to name. */
  @Id('aled')
  entryId: string | null;

  @Text({ max: 200 })
  fault: string;
}

export class VerificationResponse {
  /** Whether every entry of the chains that were walked is as it was written. */
  @Flag()
  intact: boolean;

  /** Entries that are as they were written. */
  @Whole({ min: 0, max: MOST })
  entries: number;

  /** Payloads that were erased; their digests still prove what they were. */
  @Whole({ min: 0, max: MOST })
  erasedPayloads: number;

  /** The first place of each broken chain. */
  @ListOf(() => BreakResponse, { max: CHAINS })
  breaks: BreakResponse[];

  /** The first chain that there was no time for, to be asked for by `fromChain`; null once all were walked. */
  @Whole({ min: 1, max: CHAINS - 1 })
  nextChain: number | null;
}

export class VerificationEnvelope extends dataOf(VerificationResponse) {}

export function toVerification({ entries, erasedPayloads, breaks, nextChain }: Verification): VerificationResponse {
  return {
    intact: breaks.length === 0,
    entries,
    erasedPayloads,
    breaks: breaks.map(({ chain, position, entryId, fault }) => ({ chain, position, entryId, fault })),
    nextChain,
  };
}
