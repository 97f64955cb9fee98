-- The bulletin, and figures by area.

-- The time zones of each country, with where they are, as the tz database has them (zone.tab, public domain): the most peopled first,
-- where that makes sense. What this PostgreSQL does not know is left out.
CREATE TABLE country_zones (
    country text NOT NULL,
    rank smallint NOT NULL,
    zone text NOT NULL,
    lat double precision NOT NULL,
    lon double precision NOT NULL,
    PRIMARY KEY (country, rank)
);
INSERT INTO country_zones (country, rank, zone, lat, lon)
SELECT parts[1], no, parts[2], parts[3]::double precision, parts[4]::double precision
FROM string_to_table(translate('
AD Europe/Andorra 42.50 1.52;AE Asia/Dubai 25.30 55.30;AF Asia/Kabul 34.52 69.20;AG America/Antigua 17.05 -61.80;
AI America/Anguilla 18.20 -63.07;AL Europe/Tirane 41.33 19.83;AM Asia/Yerevan 40.18 44.50;
AO Africa/Luanda -8.80 13.23;AQ Antarctica/McMurdo -77.83 166.60;AQ Antarctica/Casey -66.28 110.52;
AQ Antarctica/Davis -68.58 77.97;AQ Antarctica/DumontDUrville -66.67 140.02;AQ Antarctica/Mawson -67.60 62.88;
AQ Antarctica/Palmer -64.80 -64.10;AQ Antarctica/Rothera -67.57 -68.13;AQ Antarctica/Syowa -69.01 39.59;
AQ Antarctica/Troll -72.01 2.53;AQ Antarctica/Vostok -78.40 106.90;AR America/Argentina/Buenos_Aires -34.60 -58.45;
AR America/Argentina/Cordoba -31.40 -64.18;AR America/Argentina/Salta -24.78 -65.42;
AR America/Argentina/Jujuy -24.18 -65.30;AR America/Argentina/Tucuman -26.82 -65.22;
AR America/Argentina/Catamarca -28.47 -65.78;AR America/Argentina/La_Rioja -29.43 -66.85;
AR America/Argentina/San_Juan -31.53 -68.52;AR America/Argentina/Mendoza -32.88 -68.82;
AR America/Argentina/San_Luis -33.32 -66.35;AR America/Argentina/Rio_Gallegos -51.63 -69.22;
AR America/Argentina/Ushuaia -54.80 -68.30;AS Pacific/Pago_Pago -14.27 -170.70;AT Europe/Vienna 48.22 16.33;
AU Australia/Lord_Howe -31.55 159.08;AU Antarctica/Macquarie -54.50 158.95;AU Australia/Hobart -42.88 147.32;
AU Australia/Melbourne -37.82 144.97;AU Australia/Sydney -33.87 151.22;AU Australia/Broken_Hill -31.95 141.45;
AU Australia/Brisbane -27.47 153.03;AU Australia/Lindeman -20.27 149.00;AU Australia/Adelaide -34.92 138.58;
AU Australia/Darwin -12.47 130.83;AU Australia/Perth -31.95 115.85;AU Australia/Eucla -31.72 128.87;
AW America/Aruba 12.50 -69.97;AX Europe/Mariehamn 60.10 19.95;AZ Asia/Baku 40.38 49.85;
BA Europe/Sarajevo 43.87 18.42;BB America/Barbados 13.10 -59.62;BD Asia/Dhaka 23.72 90.42;
BE Europe/Brussels 50.83 4.33;BF Africa/Ouagadougou 12.37 -1.52;BG Europe/Sofia 42.68 23.32;
BH Asia/Bahrain 26.38 50.58;BI Africa/Bujumbura -3.38 29.37;BJ Africa/Porto-Novo 6.48 2.62;
BL America/St_Barthelemy 17.88 -62.85;BM Atlantic/Bermuda 32.28 -64.77;BN Asia/Brunei 4.93 114.92;
BO America/La_Paz -16.50 -68.15;BQ America/Kralendijk 12.15 -68.28;BR America/Noronha -3.85 -32.42;
BR America/Belem -1.45 -48.48;BR America/Fortaleza -3.72 -38.50;BR America/Recife -8.05 -34.90;
BR America/Araguaina -7.20 -48.20;BR America/Maceio -9.67 -35.72;BR America/Bahia -12.98 -38.52;
BR America/Sao_Paulo -23.53 -46.62;BR America/Campo_Grande -20.45 -54.62;BR America/Cuiaba -15.58 -56.08;
BR America/Santarem -2.43 -54.87;BR America/Porto_Velho -8.77 -63.90;BR America/Boa_Vista 2.82 -60.67;
BR America/Manaus -3.13 -60.02;BR America/Eirunepe -6.67 -69.87;BR America/Rio_Branco -9.97 -67.80;
BS America/Nassau 25.08 -77.35;BT Asia/Thimphu 27.47 89.65;BW Africa/Gaborone -24.65 25.92;
BY Europe/Minsk 53.90 27.57;BZ America/Belize 17.50 -88.20;CA America/St_Johns 47.57 -52.72;
CA America/Halifax 44.65 -63.60;CA America/Glace_Bay 46.20 -59.95;CA America/Moncton 46.10 -64.78;
CA America/Goose_Bay 53.33 -60.42;CA America/Blanc-Sablon 51.42 -57.12;CA America/Toronto 43.65 -79.38;
CA America/Iqaluit 63.73 -68.47;CA America/Atikokan 48.76 -91.62;CA America/Winnipeg 49.88 -97.15;
CA America/Resolute 74.70 -94.83;CA America/Rankin_Inlet 62.82 -92.08;CA America/Regina 50.40 -104.65;
CA America/Swift_Current 50.28 -107.83;CA America/Edmonton 53.55 -113.47;CA America/Cambridge_Bay 69.11 -105.05;
CA America/Inuvik 68.35 -133.72;CA America/Creston 49.10 -116.52;CA America/Dawson_Creek 55.77 -120.23;
CA America/Fort_Nelson 58.80 -122.70;CA America/Whitehorse 60.72 -135.05;CA America/Dawson 64.07 -139.42;
CA America/Vancouver 49.27 -123.12;CC Indian/Cocos -12.17 96.92;CD Africa/Kinshasa -4.30 15.30;
CD Africa/Lubumbashi -11.67 27.47;CF Africa/Bangui 4.37 18.58;CG Africa/Brazzaville -4.27 15.28;
CH Europe/Zurich 47.38 8.53;CI Africa/Abidjan 5.32 -4.03;CK Pacific/Rarotonga -21.23 -159.77;
CL America/Santiago -33.45 -70.67;CL America/Punta_Arenas -53.15 -70.92;CL Pacific/Easter -27.15 -109.43;
CM Africa/Douala 4.05 9.70;CN Asia/Shanghai 31.23 121.47;CN Asia/Urumqi 43.80 87.58;CO America/Bogota 4.60 -74.08;
CR America/Costa_Rica 9.93 -84.08;CU America/Havana 23.13 -82.37;CV Atlantic/Cape_Verde 14.92 -23.52;
CW America/Curacao 12.18 -69.00;CX Indian/Christmas -10.42 105.72;CY Asia/Nicosia 35.17 33.37;
CY Asia/Famagusta 35.12 33.95;CZ Europe/Prague 50.08 14.43;DE Europe/Berlin 52.50 13.37;
DE Europe/Busingen 47.70 8.68;DJ Africa/Djibouti 11.60 43.15;DK Europe/Copenhagen 55.67 12.58;
DM America/Dominica 15.30 -61.40;DO America/Santo_Domingo 18.47 -69.90;DZ Africa/Algiers 36.78 3.05;
EC America/Guayaquil -2.17 -79.83;EC Pacific/Galapagos -0.90 -89.60;EE Europe/Tallinn 59.42 24.75;
EG Africa/Cairo 30.05 31.25;EH Africa/El_Aaiun 27.15 -13.20;ER Africa/Asmara 15.33 38.88;
ES Europe/Madrid 40.40 -3.68;ES Africa/Ceuta 35.88 -5.32;ES Atlantic/Canary 28.10 -15.40;
ET Africa/Addis_Ababa 9.03 38.70;FI Europe/Helsinki 60.17 24.97;FJ Pacific/Fiji -18.13 178.42;
FK Atlantic/Stanley -51.70 -57.85;FM Pacific/Chuuk 7.42 151.78;FM Pacific/Pohnpei 6.97 158.22;
FM Pacific/Kosrae 5.32 162.98;FO Atlantic/Faroe 62.02 -6.77;FR Europe/Paris 48.87 2.33;
GA Africa/Libreville 0.38 9.45;GB Europe/London 51.51 -0.13;GD America/Grenada 12.05 -61.75;
GE Asia/Tbilisi 41.72 44.82;GF America/Cayenne 4.93 -52.33;GG Europe/Guernsey 49.45 -2.54;GH Africa/Accra 5.55 -0.22;
GI Europe/Gibraltar 36.13 -5.35;GL America/Nuuk 64.18 -51.73;GL America/Danmarkshavn 76.77 -18.67;
GL America/Scoresbysund 70.48 -21.97;GL America/Thule 76.57 -68.78;GM Africa/Banjul 13.47 -16.65;
GN Africa/Conakry 9.52 -13.72;GP America/Guadeloupe 16.23 -61.53;GQ Africa/Malabo 3.75 8.78;
GR Europe/Athens 37.97 23.72;GS Atlantic/South_Georgia -54.27 -36.53;GT America/Guatemala 14.63 -90.52;
GU Pacific/Guam 13.47 144.75;GW Africa/Bissau 11.85 -15.58;GY America/Guyana 6.80 -58.17;
HK Asia/Hong_Kong 22.28 114.15;HN America/Tegucigalpa 14.10 -87.22;HR Europe/Zagreb 45.80 15.97;
HT America/Port-au-Prince 18.53 -72.33;HU Europe/Budapest 47.50 19.08;ID Asia/Jakarta -6.17 106.80;
ID Asia/Pontianak -0.03 109.33;ID Asia/Makassar -5.12 119.40;ID Asia/Jayapura -2.53 140.70;
IE Europe/Dublin 53.33 -6.25;IL Asia/Jerusalem 31.78 35.22;IM Europe/Isle_of_Man 54.15 -4.47;
IN Asia/Kolkata 22.53 88.37;IO Indian/Chagos -7.33 72.42;IQ Asia/Baghdad 33.35 44.42;IR Asia/Tehran 35.67 51.43;
IS Atlantic/Reykjavik 64.15 -21.85;IT Europe/Rome 41.90 12.48;JE Europe/Jersey 49.18 -2.11;
JM America/Jamaica 17.97 -76.79;JO Asia/Amman 31.95 35.93;JP Asia/Tokyo 35.65 139.74;KE Africa/Nairobi -1.28 36.82;
KG Asia/Bishkek 42.90 74.60;KH Asia/Phnom_Penh 11.55 104.92;KI Pacific/Tarawa 1.42 173.00;
KI Pacific/Kanton -2.78 -171.72;KI Pacific/Kiritimati 1.87 -157.33;KM Indian/Comoro -11.68 43.27;
KN America/St_Kitts 17.30 -62.72;KP Asia/Pyongyang 39.02 125.75;KR Asia/Seoul 37.55 126.97;
KW Asia/Kuwait 29.33 47.98;KY America/Cayman 19.30 -81.38;KZ Asia/Almaty 43.25 76.95;KZ Asia/Qyzylorda 44.80 65.47;
KZ Asia/Qostanay 53.20 63.62;KZ Asia/Aqtobe 50.28 57.17;KZ Asia/Aqtau 44.52 50.27;KZ Asia/Atyrau 47.12 51.93;
KZ Asia/Oral 51.22 51.35;LA Asia/Vientiane 17.97 102.60;LB Asia/Beirut 33.88 35.50;LC America/St_Lucia 14.02 -61.00;
LI Europe/Vaduz 47.15 9.52;LK Asia/Colombo 6.93 79.85;LR Africa/Monrovia 6.30 -10.78;LS Africa/Maseru -29.47 27.50;
LT Europe/Vilnius 54.68 25.32;LU Europe/Luxembourg 49.60 6.15;LV Europe/Riga 56.95 24.10;
LY Africa/Tripoli 32.90 13.18;MA Africa/Casablanca 33.65 -7.58;MC Europe/Monaco 43.70 7.38;
MD Europe/Chisinau 47.00 28.83;ME Europe/Podgorica 42.43 19.27;MF America/Marigot 18.07 -63.08;
MG Indian/Antananarivo -18.92 47.52;MH Pacific/Majuro 7.15 171.20;MH Pacific/Kwajalein 9.08 167.33;
MK Europe/Skopje 41.98 21.43;ML Africa/Bamako 12.65 -8.00;MM Asia/Yangon 16.78 96.17;
MN Asia/Ulaanbaatar 47.92 106.88;MN Asia/Hovd 48.02 91.65;MO Asia/Macau 22.20 113.54;MP Pacific/Saipan 15.20 145.75;
MQ America/Martinique 14.60 -61.08;MR Africa/Nouakchott 18.10 -15.95;MS America/Montserrat 16.72 -62.22;
MT Europe/Malta 35.90 14.52;MU Indian/Mauritius -20.17 57.50;MV Indian/Maldives 4.17 73.50;
MW Africa/Blantyre -15.78 35.00;MX America/Mexico_City 19.40 -99.15;MX America/Cancun 21.08 -86.77;
MX America/Merida 20.97 -89.62;MX America/Monterrey 25.67 -100.32;MX America/Matamoros 25.83 -97.50;
MX America/Chihuahua 28.63 -106.08;MX America/Ciudad_Juarez 31.73 -106.48;MX America/Ojinaga 29.57 -104.42;
MX America/Mazatlan 23.22 -106.42;MX America/Bahia_Banderas 20.80 -105.25;MX America/Hermosillo 29.07 -110.97;
MX America/Tijuana 32.53 -117.02;MY Asia/Kuala_Lumpur 3.17 101.70;MY Asia/Kuching 1.55 110.33;
MZ Africa/Maputo -25.97 32.58;NA Africa/Windhoek -22.57 17.10;NC Pacific/Noumea -22.27 166.45;
NE Africa/Niamey 13.52 2.12;NF Pacific/Norfolk -29.05 167.97;NG Africa/Lagos 6.45 3.40;
NI America/Managua 12.15 -86.28;NL Europe/Amsterdam 52.37 4.90;NO Europe/Oslo 59.92 10.75;
NP Asia/Kathmandu 27.72 85.32;NR Pacific/Nauru -0.52 166.92;NU Pacific/Niue -19.02 -169.92;
NZ Pacific/Auckland -36.87 174.77;NZ Pacific/Chatham -43.95 -176.55;OM Asia/Muscat 23.60 58.58;
PA America/Panama 8.97 -79.53;PE America/Lima -12.05 -77.05;PF Pacific/Tahiti -17.53 -149.57;
PF Pacific/Marquesas -9.00 -139.50;PF Pacific/Gambier -23.13 -134.95;PG Pacific/Port_Moresby -9.50 147.17;
PG Pacific/Bougainville -6.22 155.57;PH Asia/Manila 14.59 120.97;PK Asia/Karachi 24.87 67.05;
PL Europe/Warsaw 52.25 21.00;PM America/Miquelon 47.05 -56.33;PN Pacific/Pitcairn -25.07 -130.08;
PR America/Puerto_Rico 18.47 -66.11;PS Asia/Gaza 31.50 34.47;PS Asia/Hebron 31.53 35.09;PT Europe/Lisbon 38.72 -9.13;
PT Atlantic/Madeira 32.63 -16.90;PT Atlantic/Azores 37.73 -25.67;PW Pacific/Palau 7.33 134.48;
PY America/Asuncion -25.27 -57.67;QA Asia/Qatar 25.28 51.53;RE Indian/Reunion -20.87 55.47;
RO Europe/Bucharest 44.43 26.10;RS Europe/Belgrade 44.83 20.50;RU Europe/Kaliningrad 54.72 20.50;
RU Europe/Moscow 55.76 37.62;UA Europe/Simferopol 44.95 34.10;RU Europe/Kirov 58.60 49.65;
RU Europe/Volgograd 48.73 44.42;RU Europe/Astrakhan 46.35 48.05;RU Europe/Saratov 51.57 46.03;
RU Europe/Ulyanovsk 54.33 48.40;RU Europe/Samara 53.20 50.15;RU Asia/Yekaterinburg 56.85 60.60;
RU Asia/Omsk 55.00 73.40;RU Asia/Novosibirsk 55.03 82.92;RU Asia/Barnaul 53.37 83.75;RU Asia/Tomsk 56.50 84.97;
RU Asia/Novokuznetsk 53.75 87.12;RU Asia/Krasnoyarsk 56.02 92.83;RU Asia/Irkutsk 52.27 104.33;
RU Asia/Chita 52.05 113.47;RU Asia/Yakutsk 62.00 129.67;RU Asia/Khandyga 62.66 135.55;
RU Asia/Vladivostok 43.17 131.93;RU Asia/Ust-Nera 64.56 143.23;RU Asia/Magadan 59.57 150.80;
RU Asia/Sakhalin 46.97 142.70;RU Asia/Srednekolymsk 67.47 153.72;RU Asia/Kamchatka 53.02 158.65;
RU Asia/Anadyr 64.75 177.48;RW Africa/Kigali -1.95 30.07;SA Asia/Riyadh 24.63 46.72;
SB Pacific/Guadalcanal -9.53 160.20;SC Indian/Mahe -4.67 55.47;SD Africa/Khartoum 15.60 32.53;
SE Europe/Stockholm 59.33 18.05;SG Asia/Singapore 1.28 103.85;SH Atlantic/St_Helena -15.92 -5.70;
SI Europe/Ljubljana 46.05 14.52;SJ Arctic/Longyearbyen 78.00 16.00;SK Europe/Bratislava 48.15 17.12;
SL Africa/Freetown 8.50 -13.25;SM Europe/San_Marino 43.92 12.47;SN Africa/Dakar 14.67 -17.43;
SO Africa/Mogadishu 2.07 45.37;SR America/Paramaribo 5.83 -55.17;SS Africa/Juba 4.85 31.62;
ST Africa/Sao_Tome 0.33 6.73;SV America/El_Salvador 13.70 -89.20;SX America/Lower_Princes 18.05 -63.05;
SY Asia/Damascus 33.50 36.30;SZ Africa/Mbabane -26.30 31.10;TC America/Grand_Turk 21.47 -71.13;
TD Africa/Ndjamena 12.12 15.05;TF Indian/Kerguelen -49.35 70.22;TG Africa/Lome 6.13 1.22;
TH Asia/Bangkok 13.75 100.52;TJ Asia/Dushanbe 38.58 68.80;TK Pacific/Fakaofo -9.37 -171.23;TL Asia/Dili -8.55 125.58;
TM Asia/Ashgabat 37.95 58.38;TN Africa/Tunis 36.80 10.18;TO Pacific/Tongatapu -21.13 -175.20;
TR Europe/Istanbul 41.02 28.97;TT America/Port_of_Spain 10.65 -61.52;TV Pacific/Funafuti -8.52 179.22;
TW Asia/Taipei 25.05 121.50;TZ Africa/Dar_es_Salaam -6.80 39.28;UA Europe/Kyiv 50.43 30.52;
UG Africa/Kampala 0.32 32.42;UM Pacific/Midway 28.22 -177.37;UM Pacific/Wake 19.28 166.62;
US America/New_York 40.71 -74.01;US America/Detroit 42.33 -83.05;US America/Kentucky/Louisville 38.25 -85.76;
US America/Kentucky/Monticello 36.83 -84.85;US America/Indiana/Indianapolis 39.77 -86.16;
US America/Indiana/Vincennes 38.68 -87.53;US America/Indiana/Winamac 41.05 -86.60;
US America/Indiana/Marengo 38.38 -86.34;US America/Indiana/Petersburg 38.49 -87.28;
US America/Indiana/Vevay 38.75 -85.07;US America/Chicago 41.85 -87.65;US America/Indiana/Tell_City 37.95 -86.76;
US America/Indiana/Knox 41.30 -86.62;US America/Menominee 45.11 -87.61;US America/North_Dakota/Center 47.12 -101.30;
US America/North_Dakota/New_Salem 46.84 -101.41;US America/North_Dakota/Beulah 47.26 -101.78;
US America/Denver 39.74 -104.98;US America/Boise 43.61 -116.20;US America/Phoenix 33.45 -112.07;
US America/Los_Angeles 34.05 -118.24;US America/Anchorage 61.22 -149.90;US America/Juneau 58.30 -134.42;
US America/Sitka 57.18 -135.30;US America/Metlakatla 55.13 -131.58;US America/Yakutat 59.55 -139.73;
US America/Nome 64.50 -165.41;US America/Adak 51.88 -176.66;US Pacific/Honolulu 21.31 -157.86;
UY America/Montevideo -34.91 -56.21;UZ Asia/Samarkand 39.67 66.80;UZ Asia/Tashkent 41.33 69.30;
VA Europe/Vatican 41.90 12.45;VC America/St_Vincent 13.15 -61.23;VE America/Caracas 10.50 -66.93;
VG America/Tortola 18.45 -64.62;VI America/St_Thomas 18.35 -64.93;VN Asia/Ho_Chi_Minh 10.75 106.67;
VU Pacific/Efate -17.67 168.42;WF Pacific/Wallis -13.30 -176.17;WS Pacific/Apia -13.83 -171.73;
YE Asia/Aden 12.75 45.20;YT Indian/Mayotte -12.78 45.23;ZA Africa/Johannesburg -26.25 28.00;
ZM Africa/Lusaka -15.42 28.28;ZW Africa/Harare -17.83 31.05
', E'\n', ''), ';') WITH ORDINALITY AS line(text, no), LATERAL (SELECT string_to_array(text, ' ') AS parts) split
WHERE parts[2] IN (SELECT name FROM pg_timezone_names);

-- Figures by area: of each day of a store that is over for some hours, what became of the deliveries that were created on it, by cells
-- of a geohash of six (fifteen bits north of the south pole, then fifteen east of the date line; -1 without a place). The arrays
-- stand side by side; `seconds` has for each of the delivered ones, cell by cell, how long it took.
CREATE TABLE area_days (
    store_id uuid NOT NULL,
    day date NOT NULL,
    cells integer[] NOT NULL,
    deliveries integer[] NOT NULL,
    delivered integer[] NOT NULL,
    returned integer[] NOT NULL,
    failed integer[] NOT NULL,
    seconds integer[] NOT NULL,
    PRIMARY KEY (store_id, day),
    CONSTRAINT area_day_is_even CHECK (
        cardinality(cells) = ALL (ARRAY[cardinality(deliveries), cardinality(delivered), cardinality(returned), cardinality(failed)]))
);
ALTER TABLE area_days ALTER COLUMN cells SET STORAGE EXTERNAL, ALTER COLUMN deliveries SET STORAGE EXTERNAL,
    ALTER COLUMN delivered SET STORAGE EXTERNAL, ALTER COLUMN returned SET STORAGE EXTERNAL,
    ALTER COLUMN failed SET STORAGE EXTERNAL, ALTER COLUMN seconds SET STORAGE EXTERNAL;

-- Through which day they are kept, and by which time zone. A day without a row was one without deliveries.
CREATE TABLE area_stores (
    store_id uuid PRIMARY KEY REFERENCES stores ON DELETE CASCADE,
    zone text,
    through date,
    -- When the next day can be kept.
    next_at timestamptz NOT NULL DEFAULT '-infinity',
    CONSTRAINT area_zone_has_days CHECK ((zone IS NULL) = (through IS NULL))
);
CREATE INDEX area_stores_due ON area_stores (next_at);

-- Deliveries that were changed when their day may have been kept already: it is counted anew, and until then read from the deliveries.
-- Nothing is unique here, so that no commit waits for another.
CREATE TABLE area_marks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    store_id uuid NOT NULL,
    at timestamptz NOT NULL
);
CREATE INDEX area_marks_of_store ON area_marks (store_id, at);

CREATE FUNCTION mark_area() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO area_marks (store_id, at) VALUES (NEW.store_id, NEW.created_at);
    RETURN NULL;
END
$$;
-- Nearly all steps are over by then, so that they pay for nothing but this condition. `fold_areas` keeps a day an hour later.
CREATE TRIGGER area_of_new AFTER INSERT ON deliveries FOR EACH ROW
    WHEN (NEW.created_at < now() - interval '2 hours') EXECUTE FUNCTION mark_area();
CREATE TRIGGER area_of_changed AFTER UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.created_at < now() - interval '2 hours') EXECUTE FUNCTION mark_area();

-- A store's days are those of where it is.
CREATE FUNCTION place_areas() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO area_stores (store_id) VALUES (NEW.id) ON CONFLICT (store_id) DO UPDATE SET next_at = DEFAULT;
    RETURN NULL;
END
$$;
CREATE TRIGGER areas_of_store AFTER INSERT OR UPDATE OF country, lat, lon ON stores
    FOR EACH ROW EXECUTE FUNCTION place_areas();
INSERT INTO area_stores (store_id) SELECT id FROM stores;

-- What is to be read: news, words of the road and the weather for everybody, and what a store tells its couriers.
CREATE TABLE bulletins (
    id uuid PRIMARY KEY,
    -- The store that wrote it; and where anything else comes from, which a store leaves empty.
    store_id uuid REFERENCES stores,
    source text NOT NULL CONSTRAINT bulletin_source CHECK ((source = '') = (store_id IS NOT NULL) AND octet_length(source) <= 400),
    category text NOT NULL CONSTRAINT bulletin_category CHECK (
        category IN ('news', 'road', 'weather', 'store') AND (category = 'store') = (store_id IS NOT NULL)),
    title text NOT NULL CONSTRAINT bulletin_title CHECK (title <> '' AND octet_length(title) <= 800),
    text text NOT NULL CONSTRAINT bulletin_text CHECK (octet_length(text) <= 16000),
    link text CONSTRAINT bulletin_link CHECK (link ~ '^https?://' AND octet_length(link) <= 2000),
    -- As a feed calls it that gives no link.
    guid text CONSTRAINT bulletin_guid CHECK (guid <> '' AND octet_length(guid) <= 1600),
    published_at timestamptz NOT NULL,
    -- The day of that: by the store's time, or by UTC.
    day date NOT NULL,
    urgent boolean NOT NULL DEFAULT false CONSTRAINT bulletin_urgent CHECK (NOT urgent OR store_id IS NOT NULL)
);
CREATE UNIQUE INDEX bulletin_link_once ON bulletins (store_id, source, link) NULLS NOT DISTINCT WHERE link IS NOT NULL;
CREATE UNIQUE INDEX bulletin_guid_once ON bulletins (store_id, source, guid) NULLS NOT DISTINCT WHERE guid IS NOT NULL;
CREATE UNIQUE INDEX bulletin_title_once ON bulletins (store_id, source, day, title) NULLS NOT DISTINCT;
CREATE INDEX bulletins_in_order ON bulletins (store_id, published_at, id);

-- How many there are of each store, and of all others together. Counting them would read them.
CREATE TABLE bulletin_counts (
    store_id uuid,
    count bigint NOT NULL CONSTRAINT bulletin_count CHECK (count >= 0),
    CONSTRAINT bulletins_counted_once UNIQUE NULLS NOT DISTINCT (store_id)
);
CREATE FUNCTION count_bulletins() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bulletin_counts AS c (store_id, count)
    SELECT store_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE 0 END FROM changed GROUP BY store_id ORDER BY store_id
    ON CONFLICT (store_id) DO UPDATE SET count = c.count + CASE TG_OP WHEN 'INSERT' THEN EXCLUDED.count ELSE
        -(SELECT count(*) FROM changed WHERE changed.store_id IS NOT DISTINCT FROM EXCLUDED.store_id) END;
    RETURN NULL;
END
$$;
CREATE TRIGGER counted_in AFTER INSERT ON bulletins REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_bulletins();
CREATE TRIGGER counted_out AFTER DELETE ON bulletins REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_bulletins();

-- How much a store has told its couriers on a day, whatever it has removed since.
CREATE TABLE bulletin_days (
    store_id uuid NOT NULL,
    day date NOT NULL,
    posts smallint NOT NULL CONSTRAINT ten_bulletins_a_day CHECK (posts BETWEEN 1 AND 10),
    urgent boolean NOT NULL,
    PRIMARY KEY (store_id, day)
);
REVOKE ALL ON FUNCTION mark_area, place_areas, count_bulletins FROM PUBLIC;
