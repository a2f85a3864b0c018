/** Words that a traveller uses for one another; with `>`, the former finds the latter, and not the other way round. */
const SAME = `
hiking, trekking, walking, rambling
seaside, coast, beach
bike, bicycle, cycling
kids, children, family
honeymoon, romantic
united kingdom, uk, great britain, britain
england > united kingdom
scotland > united kingdom, scottish
wales > united kingdom
united states, usa, america
united arab emirates, uae, emirates
netherlands, holland
czechia, czech republic
turkey, türkiye
greece, hellas
italy, italia
spain, españa
germany, deutschland
austria, österreich
switzerland, schweiz, suisse, svizzera
croatia, hrvatska
morocco, maroc
athens, athina
rome, roma
florence, firenze
venice, venezia, venedig
lisbon, lisboa
porto, oporto
seville, sevilla
vienna, wien
munich, münchen, muenchen
cologne, köln, koeln
prague, praha
marrakesh, marrakech
cusco, cuzco
chania, hania
crete, kriti, kreta
santorini, thira
mallorca, majorca
sicily, sicilia
tuscany, toscana
dolomites, dolomiti
andalusia, andalucía
catalonia, catalunya
bavaria, bayern
tyrol, tirol
french riviera, côte d'azur
`;

export interface SameWords {
  readonly input: string | null;
  readonly terms: string[];
}

/** The first ones are the ones that the API document's examples name: 1 to be read, 2 to be changed, 3 to be deleted. */
export const sameWords: readonly SameWords[] = SAME.trim()
  .split('\n')
  .map((line) => {
    const [before = '', after] = line.split(' > ');
    return { input: after === undefined ? null : before, terms: (after ?? before).split(', ') };
  });
