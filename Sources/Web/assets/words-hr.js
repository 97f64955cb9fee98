// Croatian.
export const hr = {
  // Okvir
  navigation: 'Glavni izbornik', skip: 'Prijeđi na sadržaj', live: 'Povezano', notLive: 'Nije povezano', offline: 'Nema veze. Učitano se i dalje može čitati.',
  loading: 'Učitavanje …', tryAgain: 'Pokušaj ponovno', close: 'Zatvori', cancel: 'Odustani', save: 'Spremi', saved: 'Spremljeno.', keepIt: 'Natrag',
  dropTyped: 'Zatvoriti bez spremanja?', dropTypedText: 'Ono što ste upisali bit će izgubljeno.', drop: 'Zatvori bez spremanja',
  optional: 'nije obavezno', more: 'Prikaži još', show: 'Prikaži', search: 'Traži', state: 'Status', day: 'Dan', nothingFound: 'Ništa nije pronađeno.',
  unreachable: 'Nema veze s Kurirom.', noGoodAnswer: 'Kurir sada ne može odgovoriti. Pokušajte malo poslije.', somethingWrong: 'Na ovoj je stranici nešto pošlo po zlu. Učitajte je ponovno.',
  sessionOver: 'Odjavljeni ste. Prijavite se ponovno.', signedInElsewhere: 'Prijavljeni ste kao {name}.',
  seconds: '{number} s', minutes: '{number} min', hours: '{number} h',

  // Ulazi
  storesEntrance: 'Kurir za trgovine', couriersEntrance: 'Kurir za dostavu', toStores: 'Za trgovine', toCouriers: 'Za dostavu',
  signIn: 'Prijava', register: 'Registracija', reset: 'Zaboravljena lozinka', signOut: 'Odjava',
  email: 'E-pošta', phone: 'Telefon', phoneHint: 'Na primjer 091 234 5678', password: 'Lozinka', newPassword: 'Nova lozinka',
  currentPassword: 'Trenutačna lozinka', passwordHint: 'Najmanje 8 znakova', storeName: 'Naziv trgovine', taxID: 'OIB',
  taxIDHint: '11 znamenki', address: 'Adresa', firstName: 'Ime', lastName: 'Prezime', inviteCode: 'Kôd poziva',
  inviteCodeHint: 'Iz poruke ili uz QR kôd trgovine, u obliku XXXXX-XXXXX', sendCode: 'Pošalji kôd', haveCode: 'Imam kôd', code: 'Kôd',
  codeHint: 'Stiže e-poštom ili SMS-om, ako takav račun postoji', setPassword: 'Postavi lozinku',

  // Dostave
  status_pending: 'Na čekanju', status_in_progress: 'U tijeku', status_delivered: 'Isporučeno', status_cancelled: 'Otkazano',
  board: 'Dostave', allStates: 'Sve', newDelivery: 'Nova dostava', editDelivery: 'Izmjena dostave', create: 'Dodaj', created: 'Dostava je dodana i ponuđena.',
  none_pending: 'Ništa ne čeka na preuzimanje.', none_in_progress: 'Ništa nije na putu.', none_delivered: 'Još ništa nije isporučeno.',
  none_cancelled: 'Ništa nije otkazano.', withCourier: 'Nosi: {name}', deliveredBy: 'Isporuka: {name}', changedMeanwhile: 'U međuvremenu je izmijenjeno, kako se vidi iza ovog obrasca. Spremite još jednom ako vrijedi vaše.', offeredTo: {one: 'Ponuđeno {count} osobi', few: 'Ponuđeno {count} osobama', other: 'Ponuđeno {count} osobama'},
  stranded: 'Nitko od odabranih više ne može prihvatiti: odaberite nekoga drugog', description: 'Što se dostavlja', instructions: 'Upute', reference: 'Vaša oznaka',
  referenceHint: 'Na primjer broj narudžbe; svaka samo jednom', courier: 'Dostavlja', store: 'Trgovina', createdAt: 'Dodano', edit: 'Izmijeni',
  details: 'Pojedinosti', history: 'Tijek dostave', offeredToWhom: 'Komu je ponuđeno', candidate_offered: 'ponuđeno', candidate_declined: 'odbijeno',
  candidate_forfeited: 'vraćeno', formerPartner: 'Bivša suradnja', candidates: 'Komu se nudi',
  candidatesHint: 'Svi odabrani dobivaju ponudu; ima je tko prvi prihvati.', everybody: 'Označi sve ili ništa',
  noPartnersToChoose: 'Još nemate suradnika. Pozovite nekoga u „Suradnici”.',
  cancelDelivery: 'Otkaži dostavu', cancelWarning: 'Svi kojima je ponuđena odmah dobivaju obavijest. To se ne može poništiti.', cancelledNow: 'Otkazano.',
  reason: 'Razlog', note: 'Napomena', callName: 'Nazovi: {name}',
  did_create: 'Dodano', did_edit: 'Izmijenjeno', did_accept: 'Prihvaćeno', did_decline: 'Odbijeno', did_deliver: 'Isporučeno', did_cancel: 'Otkazano',
  did_return: 'Vraćeno', did_release: 'Vraćeno na čekanje', did_withdraw: 'Ponuda povučena', theStore: 'trgovina', anotherCourier: 'netko drugi',

  // Suradnici trgovine
  partners: 'Suradnici', yourCouriers: 'Vaši suradnici', noPartners: 'Još nema suradnika. Pozovite nekoga u nastavku.', reliable: 'pouzdanost {percent} %',
  noDeliveriesYet: 'Još bez dostava', deliveredCount: {one: '{count} isporučena', few: '{count} isporučene', other: '{count} isporučenih'},
  cancelledCount: {one: '{count} vraćena', few: '{count} vraćene', other: '{count} vraćenih'},
  figuresOf: 'prihvaćeno {accepted}, isporučeno {delivered}, vraćeno {cancelled}, odbijeno {declined}',
  cancellations: 'Vraćene dostave', cancellationsOf: 'Vraćene dostave: {name}', noCancellations: 'Nema ih.', noReason: 'Bez navedenog razloga',
  endPartnership: 'Prekini suradnju', endPartnershipWith: 'Prekini suradnju: {name}', endWarning: '{name} više neće vidjeti nijednu vašu dostavu.',
  releaseWarning: '{name} još nosi vaše dostave. One se vraćaju na čekanje i to se nikomu ne računa kao vraćeno.',
  partnershipEnded: 'Suradnja je prekinuta: {name}.', inviteSomebody: 'Poziv na suradnju', inviteByNumber: 'Pozovi brojem',
  searchDirectory: 'Ili potražite po imenu među registriranima u Kuriru', invite: 'Pozovi', inviteName: 'Pozovi: {name}', invitesSent: 'Pozivi', noInvites: 'Još nijedan nije poslan.',
  invite_live: 'Čeka', invite_redeemed: 'Prihvaćen', invite_expired: 'Istekao', invite_revoked: 'Povučen', revoke: 'Povuci',
  showInviteOf: 'Prikaži poziv: {name}', revokeInviteOf: 'Povuci poziv: {name}', theInvite: 'Poziv',
  sentBy_push: 'Poslan je u aplikaciju.', sentBy_sms: 'Poslan je SMS-om.', copyLink: 'Kopiraj poveznicu', copied: 'Kopirano.',
  notCopied: 'Preglednik ne dopušta kopiranje. Označite poveznicu i kopirajte je sami.', qrOf: 'QR kôd za skeniranje mobitelom: {url}', validUntil: 'Vrijedi do',

  // Statistika
  figures: 'Statistika', period: 'Razdoblje', lastDays: {one: 'Posljednji {count} dan', few: 'Posljednja {count} dana', other: 'Posljednjih {count} dana'}, total_created: 'Dodano',
  total_delivered: 'Isporučeno', total_cancelled: 'Otkazano', total_returned: 'Vratili suradnici', median_seconds_to_accept: 'Do prihvaćanja',
  median_seconds_to_deliver: 'Do isporuke', outcome_delivered: 'Isporučeno', outcome_cancelled: 'Otkazano', outcome_open: 'Još otvoreno',
  deliveriesADay: 'Dostave po danu', timesADay: 'Uobičajeno trajanje (medijan, u minutama)', perCourier: 'Suradnici', courier_delivered: 'isporučeno',
  courier_in_progress: 'u tijeku', courier_returned: 'vraćeno', asTable: 'Kao tablica', seeTable: 'Iste su brojke u tablici ispod.',
  changed: '{percent} % u odnosu na prethodno razdoblje', asBefore: 'Kao u prethodnom razdoblju', nothingBefore: 'Nema podataka za usporedbu', noneBefore: 'U prethodnom razdoblju nijedna', nothingYet: 'Još ništa.',

  // Poslovi
  jobs: 'Poslovi', noJobs_pending: 'Sada nema ponuda. Ovdje se pojavljuju same.',
  noJobs_in_progress: 'Sada ništa ne nosite.', noJobs_delivered: 'Još ništa nije isporučeno.', newOffer: 'Nova ponuda.', jobGone: 'Trgovina je otkazala dostavu.',
  offerGone: 'Ova dostava više nije u ponudi.', takeBack: 'Nemoj poslati',
  do_accept: 'Prihvati', do_decline: 'Odbij', do_deliver: 'Isporuči', do_cancel: 'Vrati dostavu', done_accept: 'Dostava je vaša.', done_decline: 'Odbijeno.',
  done_deliver: 'Isporučeno. Hvala!', done_cancel: 'Vraćeno.', isSending: '{action} – šalje se …',
  willBeSent: '{action}: još nema odgovora. Poslat će se čim bude veze, samo jednom.',
  noteHint: 'Na primjer: kod susjeda', reasonHint: 'Čita ga trgovina.',
  giveBackWarning: 'Dostava se ponovno nudi drugima, više je ne možete prihvatiti i ulazi u vašu statistiku.', asOf: 'Podaci od {time}.',

  // Trgovine
  stores: 'Trgovine', joinStore: 'Nova suradnja', join: 'Pridruži se', joined: 'Nova suradnja: {name}.', yourStores: 'Vaše trgovine', noStores: 'Još ih nema. Trgovina vas mora pozvati.',
  invitesReceived: 'Pozivi za vas', noInvitesReceived: 'Sada ih nema.', enterItsCode: 'Upišite gore kôd iz poruke.', yourFigures: 'Vaša statistika',

  // Postavke
  settings: 'Postavke', preferences: 'Jezik i obavijesti', language: 'Jezik', notifications: 'Obavijesti', profile: 'Podaci', changePassword: 'Promijeni lozinku',
  passwordChanged: 'Lozinka je promijenjena. Na ostalim ste uređajima odjavljeni.', sessions: 'Gdje ste prijavljeni', unknownDevice: 'Nepoznat uređaj',
  thisDevice: 'ovaj uređaj', endSession: 'Odjavi taj uređaj',
};
