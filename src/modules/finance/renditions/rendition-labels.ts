import { named } from '../../../platform/http/named-values.js';

/** The labels of a rendered invoice. */
export interface RenditionLabels {
  invoice: string;
  void: string;
  number: string;
  issueDate: string;
  dueDate: string;
  seller: string;
  payer: string;
  taxId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  net: string;
  rate: string;
  tax: string;
  total: string;
  taxes: string;
  subtotal: string;
}

export const RENDITION_LANGUAGES = named('RenditionLanguage', ['en', 'de', 'fr', 'es', 'it']);
export type RenditionLanguage = (typeof RENDITION_LANGUAGES)[number];

export const RENDITION_LABELS: Record<RenditionLanguage, RenditionLabels> = {
  en: {
    invoice: 'Invoice',
    void: 'VOID',
    number: 'Number',
    issueDate: 'Issue date',
    dueDate: 'Due date',
    seller: 'From',
    payer: 'To',
    taxId: 'Tax id',
    description: 'Description',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    net: 'Net',
    rate: 'Tax rate',
    tax: 'Tax',
    total: 'Total',
    taxes: 'Taxes',
    subtotal: 'Subtotal',
  },
  de: {
    invoice: 'Rechnung',
    void: 'STORNIERT',
    number: 'Nummer',
    issueDate: 'Rechnungsdatum',
    dueDate: 'Fällig am',
    seller: 'Von',
    payer: 'An',
    taxId: 'Steuernummer',
    description: 'Beschreibung',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis',
    net: 'Netto',
    rate: 'Steuersatz',
    tax: 'Steuer',
    total: 'Gesamt',
    taxes: 'Steuern',
    subtotal: 'Zwischensumme',
  },
  fr: {
    invoice: 'Facture',
    void: 'ANNULÉE',
    number: 'Numéro',
    issueDate: 'Date de facture',
    dueDate: 'Échéance',
    seller: 'De',
    payer: 'À',
    taxId: 'N° fiscal',
    description: 'Description',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    net: 'Net',
    rate: 'Taux',
    tax: 'Taxe',
    total: 'Total',
    taxes: 'Taxes',
    subtotal: 'Sous-total',
  },
  es: {
    invoice: 'Factura',
    void: 'ANULADA',
    number: 'Número',
    issueDate: 'Fecha de emisión',
    dueDate: 'Vencimiento',
    seller: 'De',
    payer: 'Para',
    taxId: 'NIF',
    description: 'Descripción',
    quantity: 'Cantidad',
    unitPrice: 'Precio unitario',
    net: 'Neto',
    rate: 'Tipo',
    tax: 'Impuesto',
    total: 'Total',
    taxes: 'Impuestos',
    subtotal: 'Subtotal',
  },
  it: {
    invoice: 'Fattura',
    void: 'ANNULLATA',
    number: 'Numero',
    issueDate: 'Data di emissione',
    dueDate: 'Scadenza',
    seller: 'Da',
    payer: 'A',
    taxId: 'Codice fiscale',
    description: 'Descrizione',
    quantity: 'Quantità',
    unitPrice: 'Prezzo unitario',
    net: 'Netto',
    rate: 'Aliquota',
    tax: 'Imposta',
    total: 'Totale',
    taxes: 'Imposte',
    subtotal: 'Subtotale',
  },
};
