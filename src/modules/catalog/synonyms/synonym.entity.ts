import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Words by which a search finds others too. */
@Entity('catalog_synonym')
export class CatalogSynonym {
  @PrimaryColumn('text') id: string;
  @Column('text') language: string;
  /** Null: the terms mean the same; else a search for it finds them too, and not the other way round. */
  @Column('text', { nullable: true }) input: string | null;
  @Column('text', { array: true }) terms: string[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
