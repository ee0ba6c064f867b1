import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max';

import { invalid, quoteForError, requireText } from '../validation/invalidValue';
import { everywhere, exactly, inAnyCase, trimmed } from '../common/text';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country, e.g. `Germany` for `DE`. */
export const countryName = (country: CountryCode): string => names.of(country) ?? country;

/**
 * All countries that have phone numbers, by name, e.g. `{ name: 'Germany (+49)', value: 'DE' }`.
 */
export const countries: Array<{ name: string; value: CountryCode }> = getCountries()
	.map((country) => ({
		name: `${countryName(country)} (+${getCountryCallingCode(country)})`,
		value: country,
	}))
	.sort((one, other) => one.name.localeCompare(other.name, 'en'));

/** ISO 3166-1: the codes of three letters, each with the one of two. XKX is Kosovo's in use. */
// cspell:disable
const THREE_LETTERS = `
	ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATGAG AUSAU AUTAT AZEAZ
	BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO
	BRABR BRBBB BRNBN BTNBT BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG
	COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK
	DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM
	GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT
	GUFGF GUMGU GUYGY HKGHK HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ
	ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW
	LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC
	MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS
	MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP
	NRUNR NZLNZ OMNOM PAKPK PANPA PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS
	PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SHNSH SJMSJ SLBSB SLESL SLVSV
	SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC
	TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG
	UKRUA URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA
	ZMBZM ZWEZW XKXXK`.split(/\s+/);
// cspell:enable
const FILLER = exactly`^(?:the|and|of|s|)$`;
/**
 * What a country's name has in it that doesn't tell it from others. Republics that it would mix up
 * are in OTHER_NAMES.
 */
const FORM = exactly`^(?:arab|bolivarian|commonwealth|democratic|federal|federated|federative|
	islamic|kingdom|people|plurinational|principality|republic|socialist|sultanate|union)$`;
/**
 * Names, as people, CRMs, ISO and the European Union write them; empty for what may be one of
 * several countries.
 */
const OTHER_NAMES = `uk=GB,great britain=GB,england=GB,
	united kingdom of great britain and northern ireland=GB,united states of america=US,
	virgin islands of the united states=VI,uae=AE,el=GR,hellenic republic=GR,turkey=TR,
	czech republic=CZ,slovak republic=SK,swiss confederation=CH,holland=NL,ivory coast=CI,
	cape verde=CV,swaziland=SZ,republic of korea=KR,democratic people's republic of korea=KP,
	macedonia=MK,lao people's democratic republic=LA,democratic republic of the congo=CD,dr congo=CD,
	drc=CD,congo drc=CD,republic of the congo=CG,hong kong=HK,hong kong china=HK,
	hong kong special administrative region of china=HK,macau=MO,macao=MO,
	macao special administrative region of china=MO,republic of china=TW,taiwan province of china=TW,
	palestine=PS,state of palestine=PS,state of kuwait=KW,state of qatar=QA,state of israel=IL,
	myanmar=MM,burma=MM,federated states of micronesia=FM,syrian arab republic=SY,
	russian federation=RU,brunei darussalam=BN,viet nam=VN,united republic of tanzania=TZ,vatican=VA,
	holy see vatican city state=VA,holy see=VA,falkland islands malvinas=FK,
	saint martin french part=MF,saint martin dutch part=SX,sint maarten dutch part=SX,
	bonaire sint eustatius and saba=BQ,saint helena ascension and tristan da cunha=SH,
	argentine republic=AR,french republic=FR,gabonese republic=GA,italian republic=IT,
	kyrgyz republic=KG,lebanese republic=LB,portuguese republic=PT,rwandese republic=RW,
	togolese republic=TG,united mexican states=MX,eastern republic of uruguay=UY,
	grand duchy of luxembourg=LU,hashemite kingdom of jordan=JO,independent state of samoa=WS,
	independent state of papua new guinea=PG,plurinational state of bolivia=BO,state of eritrea=ER,
	cabo verde=CV,east timor=TL,dominica republic=`;

/**
 * The words of a name, in one order: "Korea, Republic of", "Saint Lucia" and "St. Lucia", "Germany
 * (+49)" as the list has it.
 */
const wordsOf = (name: string) =>
	name
		.normalize('NFD')
		.toLowerCase()
		.replace(/\bsaint\b/, 'st')
		.replace(/\.|\p{M}/gu, '')
		.split(/[^a-z]+/)
		.filter((word) => !FILLER.test(word))
		.sort();
const plain = (name: string) => wordsOf(name).join(' ');
const codesByName = new Map<string, string>(
	countries.map(({ name, value }) => [plain(name), value]),
);
for (const row of OTHER_NAMES.split(',')) {
	const [name, code] = row.split('=');
	codesByName.set(plain(name), code);
}

/**
 * The code of a country by its name, whatever that calls the state, or by a code. One of two
 * letters may be none.
 */
function whole(name: string): string | undefined {
	const code = name.replace(/[\s.]/g, '').toUpperCase();
	const withoutForm = wordsOf(name).filter((word) => !FORM.test(word));
	return (
		codesByName.get(plain(name)) ??
		codesByName.get(withoutForm.join(' ')) ??
		(code.length === 2 ? code : THREE_LETTERS.find((each) => each.slice(0, 3) === code)?.slice(3))
	);
}

const SEPARATOR = everywhere`[(,;:/|–—-]`;

/**
 * Like that, also of "Netherlands (Holland)" or "DE - Germany", if both parts are the same country.
 */
function named(name: string): string | undefined {
	const known = whole(name);
	if (known !== undefined) return known;
	for (const { index } of name.matchAll(SEPARATOR)) {
		const one = whole(name.slice(0, index));
		const other = whole(name.slice(index + 1).replace(/\)$/, ''));
		if (one !== undefined && one === other) return one;
	}
	return undefined;
}

/** As the list has it: it tells no more than the name. */
const CALLING_CODE = everywhere` *\(?\+?\d[\d -]*\)?`;
/** `de-DE`, `zh_Hant_TW`. */
const LANGUAGE_TAG = inAnyCase`^[a-z]{2,3}(?:[\-_][a-z]{4})?[\-_]([a-z]{2})$`;

/**
 * A country: a code of ISO 3166-1, an English name, both, or a language tag, e.g. `DE`, `Germany`,
 * `DE - Germany`, `de-DE`; empty for none.
 */
export function countryCode(value: unknown): CountryCode | undefined {
	const fix = 'Write a country such as DE or Germany, or choose one from the list';
	const given = trimmed(requireText(value, 'a country', fix));
	if (given === '') return undefined;
	// No country's name is as long as that.
	const name = given.slice(0, 100).replace(CALLING_CODE, '');
	const code = named(name.replace(LANGUAGE_TAG, '$1'));
	const country = countries.find(({ value }) => value === code);
	if (country !== undefined) return country.value;
	throw invalid`is ${quoteForError(value)}, which isn't a country
		${fix}`;
}
