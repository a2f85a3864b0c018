import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners, Listens } from '../../../platform/discovery/listeners.js';
import { MailedFiles } from '../../../platform/files/mailed-files.js';
import { dayInWords } from '../../../platform/time/day-in-words.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import { BookingFactsSource } from '../targets/booking-facts.js';
import { linkedFiles, MessageFiles } from './message-files.js';
import { MessageTokens } from './message-tokens.js';
import { MessagesService } from './messages.service.js';
import type { NotificationMessage } from './notification-message.entity.js';

const VALID_DAYS = 7;
const DAY_MS = 86_400_000;

/** Precedes the links; `day` is the last whole day on which they are valid. */
const INTRODUCTIONS: Readonly<Record<DocumentLanguage, (day: string) => string>> = {
  en: (day) => `These files are too large for a mail. You can download them until ${day}:`,
  de: (day) => `Diese Dateien sind zu groß für eine E-Mail. Sie können sie bis zum ${day} herunterladen:`,
  fr: (day) => `Ces fichiers sont trop volumineux pour un e-mail. Vous pouvez les télécharger jusqu’au ${day}\u00a0:`,
  es: (day) => `Estos archivos son demasiado grandes para un correo. Puede descargarlos hasta el ${day}:`,
  it: (day) => `Questi file sono troppo grandi per un’e-mail. Può scaricarli fino al ${day}:`,
  ro: (day) => `Aceste fișiere sunt prea mari pentru un e-mail. Le puteți descărca până la ${day}:`,
};

/** Links in mails to the files that are too large to attach. Only the mail contains them: they are computed when it is sent. */
@Injectable()
@Listens(MailedFiles, 10)
export class MailedFilesService implements MailedFiles {
  constructor(
    private readonly messages: MessagesService,
    private readonly files: MessageFiles,
    private readonly tokens: MessageTokens,
    private readonly organization: OrganizationService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Returns the links of a message, and the text with them. */
  async withLinks(message: NotificationMessage, text: string): Promise<{ text: string; links: string[] }> {
    const linked = linkedFiles(message.files);
    if (linked.length === 0) return { text, links: [] };
    const links = linked.map((index) => `${this.env.baseUrl}/v1/files/${this.tokenOf(message.id, index)}`);
    const lastDay = new Date(endOf(message).getTime() - DAY_MS).toISOString().slice(0, 10);
    const language = await this.languageOf(message);
    const introduction = INTRODUCTIONS[language](dayInWords(lastDay, language));
    const lines = linked.map((file, index) => `${message.files[file]?.fileName ?? ''}: ${links[index]}`);
    return { text: [text, introduction, ...lines].join('\n\n'), links };
  }

  async open(token: string): Promise<{ fileName: string; content: Buffer } | null> {
    const presented = this.tokens.read('file', token);
    const message = presented && (await this.messages.find(presented.messageId));
    if (!presented || !message || endOf(message) <= this.clock.now()) return null;
    const file = message.files.find((_, index) => presented.isFor(String(index)));
    const content = file ? await this.files.find(file) : null;
    return file && content ? { fileName: file.fileName, content } : null;
  }

  private tokenOf(messageId: string, index: number): string {
    return this.tokens.create('file', messageId, String(index));
  }

  private async languageOf({ bookingId }: NotificationMessage): Promise<DocumentLanguage> {
    const facts = bookingId === null ? null : await this.listeners.one(BookingFactsSource).read(bookingId);
    return this.organization.languageFor(facts?.language ?? null);
  }
}

/** Counts from the planned time of the last attempt. */
function endOf({ sendAt }: NotificationMessage): Date {
  return new Date(sendAt.getTime() + VALID_DAYS * DAY_MS);
}
