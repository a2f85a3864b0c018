import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { LanguagePages } from './languages/language-pages.service.js';
import { LanguagesController } from './languages/languages.controller.js';
import { ReviewLanguagesController } from './review-sources/review-languages.controller.js';
import { ReviewLanguages } from './review-sources/review-languages.service.js';
import { ReviewSourceRow } from './review-sources/review-source.dto.js';
import { ReviewSources } from './review-sources/review-sources.service.js';

@Module({
  controllers: [LanguagesController, ReviewLanguagesController],
  providers: [LanguagePages, ReviewLanguages, ReviewSources],
})
export class ReferenceDataModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly sources: ReviewSources,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('reviewSources', {
      order: 700,
      row: ReviewSourceRow,
      apply: (rows) => this.sources.provision(rows),
    });
  }
}
