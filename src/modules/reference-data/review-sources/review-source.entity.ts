import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An external provider of hotel reviews, and the languages of its reviews. */
@Entity('review_sources')
export class ReviewSource {
  @PrimaryColumn('text') key: string;
  @Column('text', { array: true }) languages: string[];
}
