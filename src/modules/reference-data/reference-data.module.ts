import { Module } from '@nestjs/common';
import { LanguagesService } from './languages/languages.service.js';
import { LanguagesController } from './languages/languages.controller.js';
import { ReviewLanguagesController } from './review-sources/review-languages.controller.js';
import { ReviewSourcesService } from './review-sources/review-sources.service.js';
import './reference-data-tables.js';

@Module({
  controllers: [LanguagesController, ReviewLanguagesController],
  providers: [LanguagesService, ReviewSourcesService],
})
export class ReferenceDataModule {}
