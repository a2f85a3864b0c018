/** Sets of words with the same meaning. With `>`, the former finds the latter, but not vice versa. */
const SYNONYMS = `
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

interface DemoSynonym {
  readonly input: string | null;
  readonly terms: string[];
}

/** The examples of the API document read the first one, change the second and delete the third. */
export const demoSynonyms: readonly DemoSynonym[] = SYNONYMS.trim()
  .split('\n')
  .map((line) => {
    const [before = '', after] = line.split(' > ');
    return { input: after === undefined ? null : before, terms: (after ?? before).split(', ') };
  });
