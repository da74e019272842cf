// cspell:disable
/**
 * Top-level domains that are open to registration, have three letters or more, and are not a brand's name. All domains
 * of two letters belong to countries.
 */
// oxfmt-ignore
const NAMES =
  'com net org edu gov mil int info biz name pro aero asia cat coop jobs mobi museum post tel travel xxx arpa onion local test ' +
  'academy accountant accountants active actor ads adult agency airforce analytics apartments app archi army art associates attorney ' +
  'auction audio author auto autos baby band bank bar barcelona bargains baseball basketball bayern beauty beer berlin best bet bible bid bike ' +
  'bingo bio black blackfriday blog blue boats bond boo book boston bot boutique box broadway broker brussels budapest build builders business buy ' +
  'buzz cab cafe call cam camera camp capetown capital car cards care career careers cars casa case cash casino catering catholic center ceo cfd ' +
  'channel charity chat cheap christmas church city claims cleaning click clinic clothing cloud club coach codes coffee college cologne community ' +
  'company compare computer condos construction consulting contact contractors cooking cool corsica country coupon coupons courses credit ' +
  'creditcard creditunion cricket cruise cruises cymru cyou dad data date dating day deal dealer deals degree delivery democrat dental dentist ' +
  'desi design dev diamonds diet digital direct directory discount diy doctor dog domains dot download drive dubai durban earth eat eco education ' +
  'email energy engineer engineering enterprises equipment esq estate eus events exchange expert exposed express fail faith family fan fans farm ' +
  'fashion fast feedback film final finance financial fire fish fishing fit fitness flights florist flowers fly foo food football forex forsale ' +
  'forum foundation free fun fund furniture futbol fyi gal gallery game games garden gay gdn gent gift gifts gives giving glass global gmbh gold ' +
  'golf graphics gratis green gripe grocery group guide guitars guru hair hamburg haus health healthcare help helsinki here hiphop hiv hockey ' +
  'holdings holiday homes horse hospital host hosting hot hotels house how ice icu immo immobilien inc industries ing ink institute insurance insure ' +
  'international investments irish ist istanbul jetzt jewelry joburg juegos kaufen kids kim kitchen kiwi koeln kyoto land lat latino law lawyer ' +
  'lease legal lgbt life lifestyle lighting like limited limo link live living llc llp loan loans locker lol london lotto love ltd ltda luxe luxury ' +
  'madrid maison makeup management map market marketing markets mba med media meet melbourne meme memorial men menu miami mls moda moe moi mom ' +
  'monash money monster mortgage moscow moto motorcycles mov movie music nagoya navy network new news nexus ngo ninja now nowruz nrw nyc observer off ' +
  'okinawa one ong onl online ooo open organic osaka paris pars partners parts party pay pet phd phone photo photography photos physio pics pictures ' +
  'pid pink pizza place play plumbing plus poker porn press prime prod productions prof promo properties property protection pub quebec quest ' +
  'racing radio read realestate realtor realty recipes red rehab reise reisen reit ren rent rentals repair report republican rest restaurant review ' +
  'reviews rich rip rocks rodeo room rsvp rugby ruhr run ryukyu saarland sale salon sarl save scholarships school schule science scot search ' +
  'secure security services sex sexy shiksha shoes shop shopping shouji show singles site ski skin soccer social software solar solutions song soy spa ' +
  'space sport spot srl storage store stream studio study style sucks supplies supply support surf surgery sydney systems taipei talk tatar tattoo tax ' +
  'taxi team tech technology tennis theater theatre tickets tienda tips tires tirol today tokyo tools top tours town toys trade trading training travel ' +
  'trust tube university uno vacations vegas ventures versicherung vet viajes video villas vin vip vision vlaanderen vodka vote voting voto voyage wales ' +
  'wang watch watches weather webcam website wed wedding wien wiki win wine work works world wow wtf xin xyz yachts yoga yokohama you yun zero zip zone ' +
  'zuerich ком нет орг онлайн сайт рус дети москва қаз мон мкд срб укр бел католик';

export const OPEN_TOP_LEVEL_DOMAINS: ReadonlySet<string> = new Set(NAMES.split(' '));
