import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** An external provider of hotel reviews, and the languages of its reviews. */
@Entity('review_sources')
@Unaudited('written by the reindexing of the catalog')
export class ReviewSource {
  @PrimaryColumn('text') key: string;
  @Column('text', { array: true }) languages: string[];
}
