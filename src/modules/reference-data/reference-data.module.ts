import { Module } from '@nestjs/common';
import { LanguagePages } from './languages/language-pages.service.js';
import { LanguagesController } from './languages/languages.controller.js';
import { ReviewLanguagesController } from './review-sources/review-languages.controller.js';
import { ReviewLanguages } from './review-sources/review-languages.service.js';
import { ReviewSources } from './review-sources/review-sources.service.js';

@Module({
  controllers: [LanguagesController, ReviewLanguagesController],
  providers: [LanguagePages, ReviewLanguages, ReviewSources],
})
export class ReferenceDataModule {}
