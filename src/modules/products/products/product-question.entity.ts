import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { APPEND, DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { QuestionScope, QuestionType } from './question-kinds.js';

/** The texts of a question in one language. */
export interface QuestionText {
  locale: string;
  label: string | null;
  help: string | null;
}

export interface QuestionChoice {
  value: string;
  label: string;
  /** Labels in other languages. */
  texts: { locale: string; label: string }[];
}

/** The question is asked only if an earlier one has this answer. */
export interface ShowIf {
  questionId: string;
  equals: string;
}

export interface QuestionChanges {
  scope?: QuestionScope;
  type?: QuestionType;
  label?: string;
  help?: string | null;
  texts?: QuestionText[];
  choices?: QuestionChoice[];
  required?: boolean;
  dueDaysBefore?: number | null;
  maxLength?: number | null;
  min?: number | null;
  max?: number | null;
  showIf?: ShowIf | null;
  field?: string | null;
  sensitive?: boolean;
  healthData?: boolean;
  position?: number;
  active?: boolean;
}

/** Types whose answers are values that are known before. */
const COMPARED: readonly QuestionType[] = ['choice', 'multi_choice', 'boolean', 'country'];

/** What a product asks of those who book it. */
@Rights(DELETE)
@Entity('product_questions')
export class ProductQuestion extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('text') scope: QuestionScope;
  @Column('text') type: QuestionType;
  @Impersonal()
  @Column('text')
  label: string;
  @Impersonal()
  @Column('text', { nullable: true })
  help: string | null;
  @Impersonal()
  @Column('jsonb')
  texts: QuestionText[];
  @Impersonal()
  @Column('jsonb')
  choices: QuestionChoice[];
  @Column('boolean') required: boolean;
  /** Days before the departure by which the answer is needed; null means when it is booked. */
  @Column('integer', { name: 'due_days_before', nullable: true }) dueDaysBefore: number | null;
  @Column('integer', { name: 'max_length', nullable: true }) maxLength: number | null;
  @Column('integer', { nullable: true }) min: number | null;
  @Column('integer', { nullable: true }) max: number | null;
  @Impersonal()
  @Column('jsonb', { name: 'show_if', nullable: true })
  showIf: ShowIf | null;
  /** The member of the traveler that is the answer. */
  @Impersonal()
  @Column('text', { nullable: true })
  field: string | null;
  @Column('boolean') sensitive: boolean;
  @Column('boolean', { name: 'health_data' }) healthData: boolean;
  @Column('integer') position: number;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: QuestionChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }

  /** `others` are the other questions of the product. */
  assertConsistent(others: readonly ProductQuestion[]): void {
    const isChoice = this.type === 'choice' || this.type === 'multi_choice';
    if (isChoice && this.choices.length === 0) {
      throw invalidField('choices', 'A question of this type needs choices', 'too_few', { min: 1 });
    }
    if (!isChoice && this.choices.length > 0) notApplicable('choices');
    assertUnique(
      'choices',
      this.choices.map(({ value }) => value),
      'value',
    );
    assertUnique(
      'texts',
      this.texts.map(({ locale }) => locale),
      'locale',
    );
    if (this.maxLength !== null && this.type !== 'text') notApplicable('maxLength');
    if (this.min !== null && this.type !== 'integer') notApplicable('min');
    if (this.max !== null && this.type !== 'integer') notApplicable('max');
    if (this.min !== null && this.max !== null && this.max < this.min) {
      throw invalidField('max', 'max must not be below min', 'below_minimum');
    }
    if (this.field !== null && (this.scope !== 'traveler' || this.sensitive || this.showIf !== null)) {
      notApplicable('field');
    }
    if (this.healthData && (!this.sensitive || this.scope === 'unit')) notApplicable('healthData');
    this.assertShown(others);
  }

  /** Whether the question that `showIf` names precedes this one, and can have the answer. */
  private assertShown(others: readonly ProductQuestion[]): void {
    if (this.showIf === null) return;
    const { questionId, equals } = this.showIf;
    const earlier = others.find(({ id }) => id === questionId);
    if (!earlier) throw notFound({ field: 'showIf.questionId' });
    const isEarlier = earlier.position < this.position;
    const isKnown = earlier.scope === 'booking' || earlier.scope === this.scope;
    if (!isEarlier || !isKnown || earlier.sensitive || earlier.field !== null || !COMPARED.includes(earlier.type)) {
      const message = 'showIf must name an earlier question of the same scope or of the booking, with known answers';
      throw invalidField('showIf.questionId', message, 'not_applicable');
    }
    const values = earlier.type === 'boolean' ? ['true', 'false'] : earlier.choices.map(({ value }) => value);
    if (earlier.type === 'country' || values.includes(equals)) return;
    const message = 'showIf.equals must be an answer of the earlier question';
    throw invalidField('showIf.equals', message, 'unknown_value', { allowed: values });
  }
}

/** A question as it was asked in one of its versions. */
@Rights(APPEND)
@Entity('product_question_versions')
export class ProductQuestionVersion extends Audited {
  @PrimaryColumn('text', { name: 'question_id' }) questionId: string;
  @PrimaryColumn('integer') version: number;
  @Impersonal()
  @Column('jsonb')
  content: object;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}

function notApplicable(member: string): never {
  throw invalidField(member, `${member} does not apply to this question`, 'not_applicable');
}

function assertUnique(list: string, values: readonly string[], member: string): void {
  const again = values.findIndex((value, index) => values.indexOf(value) < index);
  if (again < 0) return;
  throw invalidField(`${list}.${again}.${member}`, `Each ${member} can be named only once`, 'duplicate');
}
