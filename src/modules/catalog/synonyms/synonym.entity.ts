import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { fold } from '../../../search-engine/index.js';

/** Words that are also found by a search for other words. */
@Rights(DELETE)
@Entity('catalog_synonym')
export class CatalogSynonym extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') language: string;
  /** A search for this word also finds the terms, but not vice versa. If null, all terms find each other. */
  @Impersonal()
  @Column('text', { nullable: true })
  input: string | null;
  @Column('text', { array: true }) terms: string[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Rejects terms without words, and a set that only maps a word to itself. */
  assertEffective(): void {
    const { input, terms } = this;
    const wordless = terms.findIndex((term) => !hasWords(term));
    if (input !== null && !hasWords(input))
      throw invalidField('input', 'input must contain a letter or a digit', 'without_words');
    if (wordless >= 0) {
      throw invalidField(`terms.${wordless}`, `terms.${wordless} must contain a letter or a digit`, 'without_words');
    }
    const different = new Set([...terms, ...(input === null ? [] : [input])].map((term) => fold(term).trim()));
    if (different.size < 2) {
      const message = 'terms must contain at least 2 different terms, or with input at least one that differs from it';
      throw invalidField('terms', message, 'too_few');
    }
  }
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
