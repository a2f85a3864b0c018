/** The kinds of journeys for which a place is suitable. */
export type Kind = 'coast' | 'city' | 'mountain' | 'wild' | 'wine' | 'river' | 'snow' | 'island' | 'arctic';

export interface Place {
  readonly city: string;
  readonly region: string;
  readonly country: string;
  readonly code: string;
  readonly zone: string;
  readonly at: readonly [latitude: number, longitude: number];
  readonly kinds: readonly Kind[];
  /** Worded to fit into a sentence: "walk to ...". */
  readonly sights: readonly string[];
  readonly food: string;
}

/** city | region | country | code | zone | latitude,longitude | kinds | sights; separated | food */
const PLACES = `
Chania|Crete|Greece|GR|Europe/Athens|35.51,24.02|coast island|the Venetian harbour;the Samaria gorge;Balos lagoon|grilled octopus and dakos
Oia|Santorini|Greece|GR|Europe/Athens|36.46,25.38|coast island wine|the caldera path;the blue domes;Amoudi bay|tomato fritters and Assyrtiko wine
Athens|Attica|Greece|GR|Europe/Athens|37.98,23.73|city coast|the Acropolis;the Plaka lanes;Cape Sounion|souvlaki and honey pastries
Dubrovnik|Dalmatia|Croatia|HR|Europe/Zagreb|42.65,18.09|coast city island|the city walls;Lokrum island;the Elaphiti islands|black risotto and fresh oysters
Split|Dalmatia|Croatia|HR|Europe/Zagreb|43.51,16.44|coast city|Diocletian's palace;Marjan hill;the Blue Cave|peka stew and figs
Taormina|Sicily|Italy|IT|Europe/Rome|37.85,15.29|coast wine island|the Greek theatre;Mount Etna;Isola Bella|arancini and pistachio cake
Rome|Lazio|Italy|IT|Europe/Rome|41.90,12.50|city|the Colosseum;the Vatican museums;Trastevere|carbonara and artichokes
Florence|Tuscany|Italy|IT|Europe/Rome|43.77,11.26|city wine|the Uffizi gallery;the Duomo;the Chianti hills|bistecca and Chianti Classico
Venice|Veneto|Italy|IT|Europe/Rome|45.44,12.33|city river|St Mark's square;the Grand Canal;Murano|cicchetti and seafood risotto
Riva del Garda|Lake Garda|Italy|IT|Europe/Rome|45.89,10.84|mountain river|the Ponale trail;the lake shore;Malcesine castle|lake trout and olive oil
Cortina d'Ampezzo|Dolomites|Italy|IT|Europe/Rome|46.54,12.14|mountain snow|the Tre Cime;Lagazuoi hut;Lake Sorapis|canederli and apple strudel
Barcelona|Catalonia|Spain|ES|Europe/Madrid|41.39,2.17|city coast|the Sagrada Familia;Park Güell;the Gothic quarter|tapas and cava
Seville|Andalusia|Spain|ES|Europe/Madrid|37.39,-5.98|city|the Alcázar;the Giralda;Triana|salmorejo and Iberian ham
Granada|Andalusia|Spain|ES|Europe/Madrid|37.18,-3.60|city mountain|the Alhambra;the Albaicín;the Sierra Nevada|jamón from Trevélez
Palma|Mallorca|Spain|ES|Europe/Madrid|39.57,2.65|coast island|the cathedral;the Tramuntana mountains;Cala Varques|ensaimadas and almond ice cream
Puerto de la Cruz|Tenerife|Spain|ES|Atlantic/Canary|28.41,-16.55|coast island mountain|Mount Teide;the Anaga laurel forest;black sand coves|wrinkled potatoes with mojo
Lisbon|Lisbon Coast|Portugal|PT|Europe/Lisbon|38.72,-9.14|city coast|the Alfama;the tower of Belém;Sintra's palaces|custard tarts and grilled sardines
Porto|Douro Valley|Portugal|PT|Europe/Lisbon|41.15,-8.61|city wine river|the Ribeira;the port cellars;terraced vineyards|francesinha and tawny port
Lagos|Algarve|Portugal|PT|Europe/Lisbon|37.10,-8.67|coast|Ponta da Piedade;the sea caves;Cape St Vincent|cataplana and clams
Funchal|Madeira|Portugal|PT|Atlantic/Madeira|32.65,-16.91|island mountain coast|the levada paths;Cabo Girão;Pico Ruivo|swordfish with banana
Paris|Île-de-France|France|FR|Europe/Paris|48.86,2.35|city river|the Louvre;Montmartre;the Seine quays|croissants and bistro classics
Nice|French Riviera|France|FR|Europe/Paris|43.70,7.27|coast city|the Promenade des Anglais;Èze village;Cap Ferrat|socca and pan bagnat
Avignon|Provence|France|FR|Europe/Paris|43.95,4.81|wine river|the palace of the popes;lavender fields;the Pont du Gard|ratatouille and Châteauneuf
Bordeaux|Aquitaine|France|FR|Europe/Paris|44.84,-0.58|city wine river|the wine museum;Saint-Émilion;the dune of Pilat|canelés and claret
Chamonix|French Alps|France|FR|Europe/Paris|45.92,6.87|mountain snow|the Aiguille du Midi;the Mer de Glace;Lac Blanc|fondue and tartiflette
Innsbruck|Tyrol|Austria|AT|Europe/Vienna|47.27,11.39|mountain snow city|the Golden Roof;the Nordkette;the Stubai glacier|dumplings and Kaiserschmarrn
Vienna|Vienna|Austria|AT|Europe/Vienna|48.21,16.37|city river|Schönbrunn palace;the Hofburg;the Prater|schnitzel and Sachertorte
Zermatt|Valais|Switzerland|CH|Europe/Zurich|46.02,7.75|mountain snow|the Matterhorn;the Gornergrat railway;five lakes|raclette and rösti
Interlaken|Bernese Oberland|Switzerland|CH|Europe/Zurich|46.69,7.86|mountain|the Jungfraujoch;Lauterbrunnen's waterfalls;Lake Thun|cheese fondue and chocolate
Munich|Bavaria|Germany|DE|Europe/Berlin|48.14,11.58|city mountain|the Marienplatz;Neuschwanstein castle;the English Garden|pretzels and white sausages
Cologne|Rhine Valley|Germany|DE|Europe/Berlin|50.94,6.96|river city wine|the cathedral;the Lorelei rock;castles above the Rhine|sauerbraten and Riesling
Budapest|Central Hungary|Hungary|HU|Europe/Budapest|47.50,19.04|city river|the Széchenyi baths;the parliament;Buda castle|goulash and chimney cake
Prague|Bohemia|Czechia|CZ|Europe/Prague|50.08,14.44|city river|Charles bridge;the castle;the astronomical clock|roast duck and pilsner
Edinburgh|Lothian|United Kingdom|GB|Europe/London|55.95,-3.19|city|the castle;Arthur's Seat;the Royal Mile|smoked salmon and shortbread
Inverness|Scottish Highlands|United Kingdom|GB|Europe/London|57.48,-4.22|mountain wild|Loch Ness;Glen Affric;the Isle of Skye|venison stew and single malt
Killarney|County Kerry|Ireland|IE|Europe/Dublin|52.06,-9.51|wild mountain|the Ring of Kerry;Muckross abbey;the Gap of Dunloe|seafood chowder and soda bread
Reykjavík|South Iceland|Iceland|IS|Atlantic/Reykjavik|64.15,-21.94|wild arctic|the Blue Lagoon;Gullfoss waterfall;the northern lights|lamb soup and skyr
Bergen|Norwegian Fjords|Norway|NO|Europe/Oslo|60.39,5.32|wild mountain|Bryggen wharf;the Nærøyfjord;the Flåm railway|fish soup and cinnamon buns
Tromsø|Arctic Norway|Norway|NO|Europe/Oslo|69.65,18.96|snow wild arctic|the aurora;the Arctic cathedral;reindeer camps|king crab and cloudberries
Rovaniemi|Lapland|Finland|FI|Europe/Helsinki|66.50,25.73|snow wild arctic|husky trails;glass igloos;frozen lakes|reindeer stew and lingonberries
Istanbul|Bosphorus|Turkey|TR|Europe/Istanbul|41.01,28.98|city river|the Hagia Sophia;the Grand Bazaar;the Bosphorus ferries|meze and baklava
Fethiye|Turquoise Coast|Turkey|TR|Europe/Istanbul|36.62,29.12|coast|Ölüdeniz lagoon;Butterfly valley;Lycian tombs|gözleme and grilled sea bass
Marrakesh|High Atlas|Morocco|MA|Africa/Casablanca|31.63,-8.00|city mountain|the Jemaa el-Fnaa;the Majorelle garden;Berber villages|tagine and mint tea
Merzouga|Sahara|Morocco|MA|Africa/Casablanca|31.10,-4.01|wild|the Erg Chebbi dunes;a desert camp;the Todra gorge|couscous under the stars
Luxor|Nile Valley|Egypt|EG|Africa/Cairo|25.69,32.64|river city|the Valley of the Kings;Karnak temple;feluccas on the Nile|koshari and hibiscus tea
Arusha|Serengeti|Tanzania|TZ|Africa/Dar_es_Salaam|-3.37,36.68|wild|the Ngorongoro crater;the great migration;Kilimanjaro|nyama choma and fresh mango
Cape Town|Western Cape|South Africa|ZA|Africa/Johannesburg|-33.92,18.42|city coast wine|Table Mountain;Boulders beach penguins;Stellenbosch|braai and Chenin blanc
Kyoto|Kansai|Japan|JP|Asia/Tokyo|35.01,135.77|city|the Fushimi gates;the bamboo grove;Gion|kaiseki and matcha
Sanur|Bali|Indonesia|ID|Asia/Makassar|-8.69,115.26|coast island wild|rice terraces;the monkey forest;Mount Batur|satay and jungle fruit
Chiang Mai|Northern Thailand|Thailand|TH|Asia/Bangkok|18.79,98.98|city mountain wild|Doi Suthep temple;night markets;an elephant sanctuary|khao soi and sticky rice
Cusco|Sacred Valley|Peru|PE|America/Lima|-13.53,-71.97|mountain wild|Machu Picchu;the Inca trail;Rainbow mountain|ceviche and quinoa soup
San José|Arenal|Costa Rica|CR|America/Costa_Rica|9.93,-84.08|wild|Arenal volcano;cloud forest bridges;Manuel Antonio|gallo pinto and coffee
`;

export const KINDS: readonly Kind[] = [
  'coast',
  'city',
  'mountain',
  'wild',
  'wine',
  'river',
  'snow',
  'island',
  'arctic',
];

export const places: readonly Place[] = PLACES.trim().split('\n').map(placeIn);

/** The place that a line describes. */
export function placeIn(line: string): Place {
  const [city = '', region = '', country = '', code = '', zone = '', at = '', kinds = '', sights = '', food = ''] =
    line.split('|');
  const [latitude = 0, longitude = 0] = at.split(',').map(Number);
  return {
    city,
    region,
    country,
    code,
    zone,
    at: [latitude, longitude],
    kinds: KINDS.filter((kind) => kinds.split(' ').includes(kind)),
    sights: sights.split(';'),
    food,
  };
}

/** The route of a cruise. A round trip ends at its first port. */
export interface Route {
  readonly from: Place;
  readonly to: Place;
  /** Null for a coastal cruise. */
  readonly river: string | null;
  readonly nights: readonly number[];
}

/** from | to | river, empty for a coastal cruise | nights */
const ROUTES = `
Vienna|Budapest|Danube|5 7
Budapest|Vienna|Danube|5 7
Cologne|Cologne|Rhine|5 7
Porto|Porto|Douro|7
Bordeaux|Bordeaux|Garonne|5 7
Avignon|Avignon|Rhône|5 7
Paris|Paris|Seine|7
Prague|Prague|Vltava|4 5
Venice|Venice|Po|4 5
Luxor|Luxor|Nile|4 7
Athens|Oia||4 7
Oia|Chania||4 5
Athens|Istanbul||7
Istanbul|Fethiye||7
Split|Dubrovnik||5 7
Dubrovnik|Venice||7
Nice|Barcelona||5 7
Barcelona|Palma||4 5
Taormina|Athens||7
Lisbon|Lagos||5
Lisbon|Funchal||7
Funchal|Puerto de la Cruz||5 7
Cape Town|Cape Town||7
`;

export const routes: readonly Route[] = ROUTES.trim()
  .split('\n')
  .map((line) => {
    const [from = '', to = '', river = '', nights = ''] = line.split('|');
    return {
      from: placeOf(from),
      to: placeOf(to),
      river: river === '' ? null : river,
      nights: nights.split(' ').map(Number),
    };
  });

function placeOf(city: string): Place {
  const place = places.find((one) => one.city === city);
  if (!place) throw new Error(`Unknown place '${city}'`);
  return place;
}
