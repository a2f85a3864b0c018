import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { Documents } from '../documents/documents.service.js';
import { Synonyms } from '../synonyms/synonyms.service.js';
import { Markets } from '../slices/markets.js';
import { drafts } from './generator.js';
import { sameWords } from './same-words.js';

const DOCUMENTS = 400;

/** A catalog in four verticals; its first products are the ones that the API document's examples name. */
@Injectable()
export class DemoCatalog implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly documents: Documents,
    private readonly synonyms: Synonyms,
    private readonly markets: Markets,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(550, 'catalog', () => this.load());
  }

  private async load(): Promise<void> {
    const { code: market, locale } = this.markets.standard;
    const made = [...drafts(DOCUMENTS, this.clock.now())].map((draft) => ({ ...draft, locale, market }));
    await this.documents.putAll(made, demoId('cbat', 1));
    for (const [index, words] of sameWords.entries()) {
      await this.synonyms.create({ language: 'en', ...words }, demoId('csyn', index + 1));
    }
  }
}
