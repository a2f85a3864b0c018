import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryWhole } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { type Finding, FINDING_CODES } from './finding.js';
import { MAX_FINDINGS, type Verification } from './ledger-verifier.js';
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

  /** Position of the entry within the chain, starting at 1. */
  @Whole({ min: 1, max: MOST })
  position: number;

  /** The entry at this position; null if it is missing. */
  @Id('aled')
  entryId: string | null;

  /** Description of the fault in English. */
  @Text({ max: 200 })
  fault: string;
}

/** A contradiction between the ledger and its checkpoints, erasures or reversals. */
export class FindingResponse {
  /** Kind of the deviation that was found. */
  @OneOf(FINDING_CODES)
  code: Finding['code'];

  /** Number of the chain, 0 to 63; null if the finding concerns none or several. */
  @Whole({ min: 0, max: CHAINS - 1 })
  chain: number | null;

  /** Position of the entry within the chain, starting at 1; null if the finding concerns no single entry. */
  @Whole({ min: 1, max: MOST })
  position: number | null;

  /** The entry; null if the finding concerns no single entry. */
  @Id('aled')
  entryId: string | null;

  /** Description of the fault in English. */
  @Text({ max: 1000 })
  message: string;
}

/** The result of verifying hash chains. */
export class VerificationResponse {
  /** Whether every entry of the verified chains is unchanged and nothing contradicts them: no breaks and no findings. */
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

  /** Contradictions between the verified chains and the checkpoints, erasures and reversals; the first 100. */
  @ListOf(() => FindingResponse, { max: MAX_FINDINGS })
  findings: FindingResponse[];

  /** The number of checkpoints with a valid signature. */
  @Whole({ min: 0, max: MOST })
  checkpoints: number;

  /** Time at which the newest of them was signed; only the hash chains prove later entries. Null if there is none. */
  @Instant()
  newestCheckpointAt: string | null;

  /** First chain that was not verified within the time limit, to be sent as `fromChain`; null if all were verified. */
  @Whole({ min: 1, max: CHAINS - 1 })
  nextChain: number | null;
}

export class VerificationEnvelope extends dataOf(VerificationResponse) {}

export function toVerification(verification: Verification): VerificationResponse {
  const { entries, erasedPayloads, breaks, findings, checkpoints, newestCheckpointAt, nextChain } = verification;
  return {
    intact: breaks.length === 0 && findings.length === 0,
    entries,
    erasedPayloads,
    breaks: breaks.map(({ chain, position, entryId, fault }) => ({ chain, position, entryId, fault })),
    findings: findings.map(({ code, chain, position, entryId, message }) => ({
      code,
      chain,
      position,
      entryId,
      message,
    })),
    checkpoints,
    newestCheckpointAt,
    nextChain,
  };
}
