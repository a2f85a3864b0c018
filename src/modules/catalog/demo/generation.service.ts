import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { asSystem } from '../../../platform/context/request-context.js';
import { Documents } from '../documents/documents.service.js';
import type { NewDocument } from '../documents/stored-document.js';
import { Markets } from '../slices/markets.js';
import { drafts } from './generator.js';

const BATCH = 500;

/** How far a generation has come. */
export interface GenerationProgress {
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
  readonly finishesAt: Date;
}

/** Makes catalogs of any size, of the texts of the demo data. */
@Injectable()
export class CatalogGeneration {
  constructor(
    private readonly documents: Documents,
    private readonly markets: Markets,
    private readonly clock: Clock,
  ) {}

  /** Documents with the same numbers are replaced. */
  async generate(total: number, report: (progress: GenerationProgress) => void): Promise<void> {
    const { code: market, locale } = this.markets.standard;
    const started = performance.now();
    let [batch, done]: [NewDocument[], number] = [[], 0];
    for (const draft of drafts(total, this.clock.now())) {
      batch.push({ ...draft, locale, market });
      done += 1;
      if (batch.length < BATCH && done < total) continue;
      const full = batch;
      batch = [];
      await asSystem(() => this.documents.putAll(full));
      const perSecond = done / ((performance.now() - started) / 1_000);
      report({ done, total, perSecond, finishesAt: this.clock.inSeconds((total - done) / perSecond) });
    }
  }
}
