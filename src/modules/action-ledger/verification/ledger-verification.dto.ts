import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import type { Verification } from './ledger-verifier.js';
import { CHAINS } from '../entries/sealed-entry.js';

const MOST = Number.MAX_SAFE_INTEGER;

/** The hash chains to verify; all by default. */
export class VerifyLedger {
  /** Only this chain, 0 to 63. */
  @Optional()
  @QueryWhole({ min: 0, max: CHAINS - 1 })
  chain?: number;

  /** First chain to verify: the `nextChain` of an incomplete response. Ignored if `chain` is sent. */
  @Optional()
  @QueryWhole({ min: 0, max: CHAINS - 1 })
  fromChain?: number;
}

/** The first place at which a hash chain is broken. */
export class BreakResponse {
  /** Number of the broken chain, 0 to 63. */
  @Whole({ min: 0, max: CHAINS - 1 })
  chain: number;

  /** Place of the entry within the chain, starting at 1. */
  @Whole({ min: 1, max: MOST })
  position: number;

  /** The entry at this place; null if it is missing. */
  @Id('aled')
  entryId: string | null;

  /** What is wrong, in English. */
  @Text({ max: 200 })
  fault: string;
}

/** The result of verifying hash chains. */
export class VerificationResponse {
  /** Whether every entry of the verified chains is unchanged. */
  @Flag()
  intact: boolean;

  /** The number of entries that are unchanged. */
  @Whole({ min: 0, max: MOST })
  entries: number;

  /** The number of entries whose before and after states were erased. Their digests are still verified. */
  @Whole({ min: 0, max: MOST })
  erasedPayloads: number;

  /** The first break of each broken chain; empty if there is none. */
  @ListOf(() => BreakResponse, { max: CHAINS })
  breaks: BreakResponse[];

  /** First chain that was not verified within the time limit, to be sent as `fromChain`; null if all were verified. */
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
