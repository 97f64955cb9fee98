// English.
export const en = {
  // The frame
  navigation: 'Main', skip: 'Skip to the content', live: 'Live', notLive: 'Not live', offline: 'No connection. What was loaded can still be read.',
  loading: 'Loading …', tryAgain: 'Try again', close: 'Close', cancel: 'Cancel', save: 'Save', saved: 'Saved.', keepIt: 'Go back',
  dropTyped: 'Close without saving?', dropTypedText: 'What you have typed will be lost.', drop: 'Close without saving',
  optional: 'optional', more: 'Show more', show: 'Show', search: 'Search', state: 'State', day: 'Day', nothingFound: 'Nothing found.',
  unreachable: 'There is no connection to Kurir.', noGoodAnswer: 'Kurir cannot answer now. Try again in a moment.', somethingWrong: 'Something went wrong on this page. Load it again.',
  sessionOver: 'You are signed out. Sign in again.', signedInElsewhere: 'You are signed in as {name}.',
  seconds: '{number} s', minutes: '{number} min', hours: '{number} h',

  // Ways in
  storesEntrance: 'Kurir for stores', couriersEntrance: 'Kurir for couriers', toStores: 'For stores', toCouriers: 'For couriers',
  signIn: 'Sign in', register: 'Register', reset: 'Forgotten password', signOut: 'Sign out',
  email: 'E-mail', phone: 'Phone', phoneHint: 'For example 091 234 5678', password: 'Password', newPassword: 'New password',
  currentPassword: 'Current password', passwordHint: 'At least 8 characters', storeName: 'Name of the store', taxID: 'OIB',
  taxIDHint: '11 digits', address: 'Address', firstName: 'First name', lastName: 'Last name', inviteCode: 'Invite code',
  inviteCodeHint: 'From the message or QR code of a store, as XXXXX-XXXXX', sendCode: 'Send me a code', haveCode: 'I have a code', code: 'Code',
  codeHint: 'It comes by e-mail or SMS, if there is such an account', setPassword: 'Set the password',

  // Deliveries
  status_pending: 'Pending', status_in_progress: 'In progress', status_delivered: 'Delivered', status_cancelled: 'Cancelled',
  board: 'Deliveries', allStates: 'All', newDelivery: 'New delivery', editDelivery: 'Change the delivery', create: 'Create', created: 'Created and offered.',
  none_pending: 'Nothing waits for a courier.', none_in_progress: 'Nothing is on its way.', none_delivered: 'Nothing was delivered yet.',
  none_cancelled: 'Nothing was cancelled.', withCourier: 'With {name}', deliveredBy: 'Delivered by {name}', changedMeanwhile: 'It was changed meanwhile, as you see behind this form. Save once more if yours is right.', offeredTo: {one: 'Offered to {count} courier', other: 'Offered to {count} couriers'},
  stranded: 'No candidate is left: choose others', description: 'What is delivered', instructions: 'Instructions', reference: 'Your reference',
  referenceHint: 'For example the order’s number; each only once', courier: 'Courier', store: 'Store', createdAt: 'Created', edit: 'Change',
  details: 'Details', history: 'What happened', offeredToWhom: 'Candidates', candidate_offered: 'offered', candidate_declined: 'declined',
  candidate_forfeited: 'gave it back', formerPartner: 'No partner any more', candidates: 'Candidates',
  candidatesHint: 'Each of them gets the offer; the first who accepts has it.', everybody: 'Everybody or nobody',
  noPartnersToChoose: 'You have no couriers yet. Invite one under “Couriers”.',
  cancelDelivery: 'Cancel the delivery', cancelWarning: 'The couriers are told at once. This cannot be taken back.', cancelledNow: 'Cancelled.',
  reason: 'Reason', note: 'Note', callName: 'Call {name}',
  did_create: 'Created', did_edit: 'Changed', did_accept: 'Accepted', did_decline: 'Declined', did_deliver: 'Delivered', did_cancel: 'Cancelled',
  did_return: 'Given back', did_release: 'Taken back', did_withdraw: 'Candidate taken away', theStore: 'the store', anotherCourier: 'another courier',

  // Couriers of a store
  partners: 'Couriers', yourCouriers: 'Your couriers', noPartners: 'None yet. Invite somebody below.', reliable: '{percent} % reliable',
  noDeliveriesYet: 'No deliveries yet', deliveredCount: {one: '{count} delivered', other: '{count} delivered'},
  cancelledCount: {one: '{count} given back', other: '{count} given back'},
  figuresOf: 'accepted {accepted}, delivered {delivered}, given back {cancelled}, declined {declined}',
  cancellations: 'Given back', cancellationsOf: 'Deliveries that {name} gave back', noCancellations: 'None.', noReason: 'No reason given',
  endPartnership: 'End', endPartnershipWith: 'End the partnership with {name}', endWarning: '{name} will see none of your deliveries any more.',
  releaseWarning: '{name} still carries deliveries of yours. They go back to pending, and nothing is counted against {name}.',
  partnershipEnded: 'The partnership with {name} is over.', inviteSomebody: 'Invite a courier', inviteByNumber: 'Invite by number',
  searchDirectory: 'Or search the couriers of Kurir by name', invite: 'Invite', inviteName: 'Invite {name}', invitesSent: 'Invites', noInvites: 'None sent yet.',
  invite_live: 'Waiting', invite_redeemed: 'Accepted', invite_expired: 'Expired', invite_revoked: 'Taken back', revoke: 'Take back',
  showInviteOf: 'Show the invite of {name}', revokeInviteOf: 'Take back the invite of {name}', theInvite: 'The invite',
  sentBy_push: 'It was sent to the courier’s app.', sentBy_sms: 'It was sent by SMS.', copyLink: 'Copy the link', copied: 'Copied.',
  notCopied: 'The browser does not allow copying. Mark the link and copy it yourself.', qrOf: 'QR code to scan with a phone: {url}', validUntil: 'Valid until',

  // Figures
  figures: 'Figures', period: 'Period', lastDays: {one: 'Last {count} day', other: 'Last {count} days'}, total_created: 'Created',
  total_delivered: 'Delivered', total_cancelled: 'Cancelled', total_returned: 'Given back by couriers', median_seconds_to_accept: 'Until accepted',
  median_seconds_to_deliver: 'Until delivered', outcome_delivered: 'Delivered', outcome_cancelled: 'Cancelled', outcome_open: 'Still open',
  deliveriesADay: 'Deliveries a day', timesADay: 'Typical times (median, in minutes)', perCourier: 'Couriers', courier_delivered: 'delivered',
  courier_in_progress: 'in progress', courier_returned: 'given back', asTable: 'As a table', seeTable: 'The same figures are in the table below.',
  changed: '{percent} % against the period before', asBefore: 'As in the period before', nothingBefore: 'Nothing to compare with', noneBefore: 'None in the period before', nothingYet: 'Nothing yet.',

  // Jobs of a courier
  jobs: 'Jobs', noJobs_pending: 'No offers now. They appear here by themselves.',
  noJobs_in_progress: 'You carry nothing now.', noJobs_delivered: 'Nothing delivered yet.', newOffer: 'A new offer.', jobGone: 'A delivery was cancelled by the store.',
  offerGone: 'This delivery is no longer on offer.', takeBack: 'Do not send',
  do_accept: 'Accept', do_decline: 'Decline', do_deliver: 'Deliver', do_cancel: 'Give back', done_accept: 'It is yours.', done_decline: 'Declined.',
  done_deliver: 'Delivered. Thank you!', done_cancel: 'Given back.', isSending: '{action} – sending …',
  willBeSent: '{action} – no answer yet. It is sent as soon as there is a connection, and counts once.',
  noteHint: 'For example: handed to a neighbour', reasonHint: 'The store reads it.',
  giveBackWarning: 'Others are offered it again, you cannot accept it any more, and it counts in your figures.', asOf: 'This is as of {time}.',

  // Stores of a courier
  stores: 'Stores', joinStore: 'Join a store', join: 'Join', joined: 'You now work with {name}.', yourStores: 'Your stores', noStores: 'None yet. A store has to invite you.',
  invitesReceived: 'Invites for you', noInvitesReceived: 'None now.', enterItsCode: 'Enter the code from its message above.', yourFigures: 'Your figures',

  // Settings
  settings: 'Settings', preferences: 'Preferences', language: 'Language', notifications: 'Notifications', profile: 'Profile', changePassword: 'Change the password',
  passwordChanged: 'Changed. Everywhere else you are signed out.', sessions: 'Where you are signed in', unknownDevice: 'Unknown device',
  thisDevice: 'this device', endSession: 'Sign out there',
};
