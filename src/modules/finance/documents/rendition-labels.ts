import type { DocumentLanguage } from '../../organization/index.js';

/** The labels of a rendered invoice, credit note or fee invoice. */
export interface RenditionLabels {
  /** Separates a label from its value. French has a no-break space before it. */
  colon: string;
  invoice: string;
  creditNote: string;
  feeInvoice: string;
  /** The line of a fee invoice. */
  cancellationFee: string;
  void: string;
  number: string;
  issueDate: string;
  dueDate: string;
  serviceDate: string;
  paymentReference: string;
  booking: string;
  originalInvoice: string;
  /** Precedes the issue date of the original: "of March 1, 2027". */
  dated: string;
  reason: string;
  seller: string;
  payer: string;
  taxId: string;
  vatId: string;
  registrationNumber: string;
  licenceNumber: string;
  description: string;
  quantity: string;
  unitPrice: string;
  net: string;
  rate: string;
  tax: string;
  total: string;
  gross: string;
  taxes: string;
  /** Precedes `dated` and the day. */
  exchangeRate: string;
  subtotal: string;
  /** Precedes the day of the rendition. */
  paid: string;
  /** Precedes the day of the rendition. */
  credited: string;
  balance: string;
  bankAccount: string;
  accountHolder: string;
  insolvencyProtection: string;
}

export const RENDITION_LABELS: Record<DocumentLanguage, RenditionLabels> = {
  en: {
    colon: ':',
    invoice: 'Invoice',
    creditNote: 'Credit note',
    feeInvoice: 'Invoice for a cancellation fee',
    cancellationFee: 'Cancellation fee',
    void: 'VOID',
    number: 'Number',
    issueDate: 'Issue date',
    dueDate: 'Due date',
    serviceDate: 'Service date',
    paymentReference: 'Payment reference',
    booking: 'Booking',
    originalInvoice: 'For invoice',
    dated: 'of',
    reason: 'Reason',
    seller: 'From',
    payer: 'To',
    taxId: 'Tax ID',
    vatId: 'VAT ID',
    registrationNumber: 'Registration number',
    licenceNumber: 'Licence',
    description: 'Description',
    quantity: 'Quantity',
    unitPrice: 'Net unit price',
    net: 'Net',
    rate: 'Tax rate',
    tax: 'Tax',
    total: 'Total',
    gross: 'Gross',
    taxes: 'Tax summary',
    exchangeRate: 'Exchange rate',
    subtotal: 'Subtotal',
    paid: 'Paid as of',
    credited: 'Credited as of',
    balance: 'Balance due',
    bankAccount: 'Bank account',
    accountHolder: 'Account holder',
    insolvencyProtection: 'Insolvency protection',
  },
  de: {
    colon: ':',
    invoice: 'Rechnung',
    creditNote: 'Rechnungskorrektur',
    feeInvoice: 'Rechnung über Stornogebühren',
    cancellationFee: 'Stornogebühr',
    void: 'STORNIERT',
    number: 'Nummer',
    issueDate: 'Ausstellungsdatum',
    dueDate: 'Fällig am',
    serviceDate: 'Leistungsdatum',
    paymentReference: 'Verwendungszweck',
    booking: 'Buchung',
    originalInvoice: 'Zur Rechnung',
    dated: 'vom',
    reason: 'Grund',
    seller: 'Von',
    payer: 'An',
    taxId: 'Steuernummer',
    vatId: 'USt-IdNr.',
    registrationNumber: 'Registernummer',
    licenceNumber: 'Lizenz',
    description: 'Beschreibung',
    quantity: 'Menge',
    unitPrice: 'Nettopreis',
    net: 'Netto',
    rate: 'Steuersatz',
    tax: 'Steuer',
    total: 'Gesamt',
    gross: 'Brutto',
    taxes: 'Steuerübersicht',
    exchangeRate: 'Wechselkurs',
    subtotal: 'Zwischensumme',
    paid: 'Bezahlt bis zum',
    credited: 'Gutgeschrieben bis zum',
    balance: 'Offener Betrag',
    bankAccount: 'Bankverbindung',
    accountHolder: 'Kontoinhaber',
    insolvencyProtection: 'Insolvenzabsicherung',
  },
  fr: {
    colon: '\u00a0:',
    invoice: 'Facture',
    creditNote: 'Avoir',
    feeInvoice: 'Facture de frais d’annulation',
    cancellationFee: 'Frais d’annulation',
    void: 'ANNULÉE',
    number: 'Numéro',
    issueDate: 'Date d’émission',
    dueDate: 'Échéance',
    serviceDate: 'Date de la prestation',
    paymentReference: 'Référence de paiement',
    booking: 'Réservation',
    originalInvoice: 'Pour la facture',
    dated: 'du',
    reason: 'Motif',
    seller: 'De',
    payer: 'À',
    taxId: 'N° fiscal',
    vatId: 'N° de TVA',
    registrationNumber: 'N° d’immatriculation',
    licenceNumber: 'Licence',
    description: 'Description',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire HT',
    net: 'HT',
    rate: 'Taux',
    tax: 'Taxe',
    total: 'Total',
    gross: 'TTC',
    taxes: 'Récapitulatif des taxes',
    exchangeRate: 'Taux de change',
    subtotal: 'Sous-total',
    paid: 'Payé au',
    credited: 'Crédité au',
    balance: 'Solde dû',
    bankAccount: 'Compte bancaire',
    accountHolder: 'Titulaire du compte',
    insolvencyProtection: 'Garantie contre l’insolvabilité',
  },
  es: {
    colon: ':',
    invoice: 'Factura',
    creditNote: 'Factura rectificativa',
    feeInvoice: 'Factura de gastos de cancelación',
    cancellationFee: 'Gastos de cancelación',
    void: 'ANULADA',
    number: 'Número',
    issueDate: 'Fecha de emisión',
    dueDate: 'Vencimiento',
    serviceDate: 'Fecha del servicio',
    paymentReference: 'Referencia de pago',
    booking: 'Reserva',
    originalInvoice: 'De la factura',
    dated: 'del',
    reason: 'Motivo',
    seller: 'De',
    payer: 'Para',
    taxId: 'NIF',
    vatId: 'NIF-IVA',
    registrationNumber: 'N.º de registro',
    licenceNumber: 'Licencia',
    description: 'Descripción',
    quantity: 'Cantidad',
    unitPrice: 'Precio neto',
    net: 'Neto',
    rate: 'Tipo',
    tax: 'Impuesto',
    total: 'Total',
    gross: 'Bruto',
    taxes: 'Resumen de impuestos',
    exchangeRate: 'Tipo de cambio',
    subtotal: 'Subtotal',
    paid: 'Pagado al',
    credited: 'Abonado al',
    balance: 'Saldo pendiente',
    bankAccount: 'Cuenta bancaria',
    accountHolder: 'Titular de la cuenta',
    insolvencyProtection: 'Garantía frente a la insolvencia',
  },
  it: {
    colon: ':',
    invoice: 'Fattura',
    creditNote: 'Nota di credito',
    feeInvoice: 'Fattura per penale di cancellazione',
    cancellationFee: 'Penale di cancellazione',
    void: 'ANNULLATA',
    number: 'Numero',
    issueDate: 'Data di emissione',
    dueDate: 'Scadenza',
    serviceDate: 'Data del servizio',
    paymentReference: 'Causale di pagamento',
    booking: 'Prenotazione',
    originalInvoice: 'Per la fattura',
    dated: 'del',
    reason: 'Motivo',
    seller: 'Da',
    payer: 'A',
    taxId: 'Codice fiscale',
    vatId: 'Partita IVA',
    registrationNumber: 'N. di registro',
    licenceNumber: 'Licenza',
    description: 'Descrizione',
    quantity: 'Quantità',
    unitPrice: 'Prezzo netto',
    net: 'Netto',
    rate: 'Aliquota',
    tax: 'Imposta',
    total: 'Totale',
    gross: 'Lordo',
    taxes: 'Riepilogo imposte',
    exchangeRate: 'Tasso di cambio',
    subtotal: 'Subtotale',
    paid: 'Pagato al',
    credited: 'Accreditato al',
    balance: 'Saldo dovuto',
    bankAccount: 'Conto bancario',
    accountHolder: 'Intestatario',
    insolvencyProtection: 'Protezione in caso di insolvenza',
  },
  ro: {
    colon: ':',
    invoice: 'Factură',
    creditNote: 'Notă de credit',
    feeInvoice: 'Factură pentru taxa de anulare',
    cancellationFee: 'Taxă de anulare',
    void: 'ANULATĂ',
    number: 'Număr',
    issueDate: 'Data emiterii',
    dueDate: 'Scadență',
    serviceDate: 'Data prestării',
    paymentReference: 'Referința plății',
    booking: 'Rezervare',
    originalInvoice: 'Pentru factura',
    dated: 'din',
    reason: 'Motiv',
    seller: 'De la',
    payer: 'Către',
    taxId: 'Cod fiscal',
    vatId: 'Cod TVA',
    registrationNumber: 'Nr. de înregistrare',
    licenceNumber: 'Licență',
    description: 'Descriere',
    quantity: 'Cantitate',
    unitPrice: 'Preț unitar net',
    net: 'Net',
    rate: 'Cota',
    tax: 'Taxă',
    total: 'Total',
    gross: 'Brut',
    taxes: 'Rezumatul taxelor',
    exchangeRate: 'Curs de schimb',
    subtotal: 'Subtotal',
    paid: 'Plătit până la',
    credited: 'Creditat până la',
    balance: 'Sold de plată',
    bankAccount: 'Cont bancar',
    accountHolder: 'Titularul contului',
    insolvencyProtection: 'Protecție în caz de insolvență',
  },
};
