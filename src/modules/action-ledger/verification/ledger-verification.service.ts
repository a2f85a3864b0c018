import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { KekProvider } from '../../../platform/keys/kek-provider.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { CheckpointFile } from '../checkpoints/checkpoint-file.js';
import { CheckpointVerifier } from './checkpoint-verifier.js';
import { LedgerVerifier, type Verification, type VerificationRange } from './ledger-verifier.js';

/** Verifies the ledger on request and every night. */
@Injectable()
export class LedgerVerificationService {
  private readonly verifier: LedgerVerifier;
  private readonly brokenChains;
  private readonly contradictions;

  constructor(
    database: Database,
    keks: KekProvider,
    env: Env,
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.verifier = new LedgerVerifier(
      database,
      new CheckpointVerifier(database, new CheckpointFile(env.ledgerCheckpointFile), () => keks),
    );
    this.brokenChains = metrics.counter({
      name: 'ledger_broken_chains_total',
      help: 'Broken chains of the action ledger found by the nightly verification; any value above 0 needs an investigation',
    });
    this.contradictions = metrics.counter({
      name: 'ledger_findings_total',
      help: 'Contradictions between the action ledger and its checkpoints, erasures and reversals found by the nightly verification',
    });
  }

  /** Verifies the whole ledger and reports breaks in the log and the metrics. */
  @Cron('action-ledger.verify', '30 2 * * *')
  async verifyNightly(): Promise<void> {
    const { breaks, findings, entries } = await this.verify();
    this.brokenChains.inc(breaks.length);
    this.contradictions.inc(findings.length);
    if (breaks.length > 0) this.log.error({ breaks }, 'the hash chains of the action ledger are broken');
    if (findings.length > 0)
      this.log.error({ findings }, 'checkpoints, erasures or reversals contradict the action ledger');
    if (breaks.length + findings.length === 0) this.log.info({ entries }, 'the action ledger is intact');
  }

  async verify(range: VerificationRange = {}): Promise<Verification> {
    return this.verifier.verify(range);
  }
}
