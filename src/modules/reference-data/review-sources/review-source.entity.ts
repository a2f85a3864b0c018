import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An outside provider of hotel reviews, and the languages that its reviews are written in. */
@Entity('review_sources')
export class ReviewSource {
  @PrimaryColumn('text') key: string;
  @Column('text', { array: true }) languages: string[];
}
