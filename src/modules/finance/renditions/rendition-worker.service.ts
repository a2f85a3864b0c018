import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { FileStore } from '../../../platform/files/file-store.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import type { DetailedInvoiceView } from '../invoices/invoice-response.dto.js';
import { InvoiceReader } from '../invoices/invoice-reader.service.js';
import { documentOf, type RenderedInvoice } from './invoice-document.js';
import { RenditionClaims } from './rendition-claims.service.js';
import { render } from './rendering.js';
import { MAX_ATTEMPTS, RENDER } from './renditions.service.js';

/** Renders what was asked for: claims it, makes the file with nothing held, and says that it is there. */
@Injectable()
export class RenditionWorker implements OnModuleInit {
  constructor(
    private readonly claims: RenditionClaims,
    private readonly invoices: InvoiceReader,
    private readonly files: FileStore,
    private readonly jobs: Jobs,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.jobs.define(RENDER, async (payload) => {
      const id = renditionIdOf(payload);
      if (id !== null) await this.render(id);
    });
    this.jobs.schedule('invoice-rendition.sweep', '* * * * *', () => this.sweep());
  }

  /** Does nothing where another process is at it, or it is done. Throws where it is to be tried again. */
  async render(id: string): Promise<void> {
    const claim = await this.claims.claim(id);
    if (!claim) return;
    try {
      const document = documentOf(renderedOf(await this.invoices.get(claim.invoiceId)), claim.language);
      await this.claims.complete(claim, await this.files.put(await render(document, claim.format)));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      const isLast = await this.claims.giveUp(claim, failure || 'unknown');
      this.log.error({ err: error, renditionId: id, attempt: claim.attempts }, 'a rendition failed');
      if (!isLast) throw error;
    }
  }

  /** Takes up again what nobody is at. */
  async sweep(): Promise<void> {
    for (const abandoned of await this.claims.abandoned()) {
      if (abandoned.attempts >= MAX_ATTEMPTS) await this.claims.giveUp(abandoned, 'No attempt came to an end');
      else await this.jobs.add(RENDER, { renditionId: abandoned.id }, { key: abandoned.id, maxAttempts: MAX_ATTEMPTS });
    }
  }
}

function renditionIdOf(payload: unknown): string | null {
  const hasId = typeof payload === 'object' && payload !== null && 'renditionId' in payload;
  return hasId && typeof payload.renditionId === 'string' ? payload.renditionId : null;
}

/** Only what was fixed by the issue, so that money which comes in makes no other file. */
function renderedOf({ invoice, lines }: DetailedInvoiceView): RenderedInvoice {
  const { number, issueDate, dueDate, sellerName } = invoice;
  if (number === null || issueDate === null || dueDate === null || sellerName === null) {
    throw new Error(`${invoice.id} is not issued`);
  }
  return {
    number,
    issueDate,
    dueDate,
    isVoid: invoice.status === 'void',
    currency: invoice.currency,
    seller: { name: sellerName, address: invoice.sellerAddress, taxId: invoice.sellerTaxId },
    payer: { name: invoice.payerName, address: invoice.payerAddress, taxId: invoice.payerTaxId },
    subtotalCents: invoice.subtotalCents,
    taxCents: invoice.taxCents,
    totalCents: invoice.totalCents,
    lines,
  };
}
