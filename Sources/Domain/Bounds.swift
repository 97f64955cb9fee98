/// How long what people write may be, in characters. The database allows four bytes for each.
public enum Bounds {
    /// A first or last name.
    public static let name = 60
    /// What a store is called.
    public static let storeName = 100
    /// A street address.
    public static let address = 200
    /// What a saved place is called: a whole name, too.
    public static let placeName = 125
    /// What is to be said of a saved place.
    public static let placeNote = 500
    /// What is to be delivered, and how.
    public static let text = 1000
    /// A store's own number of a delivery.
    public static let reference = 100
    /// Why something was done, and what else is to be said of it.
    public static let reason = 500
    /// How often a delivery is brought in vain.
    public static let attempts = 50
    /// What a recipient wishes, and how often.
    public static let (wish, wishes) = (200, 3)
    /// What a recipient says of a delivery afterwards.
    public static let rating = 500
    /// What a store writes to whom it invites.
    public static let inviteMessage = 200
    /// What is said in a conversation.
    public static let said = 2000
    /// What an account tells of itself.
    public static let description = 500
    /// What an account answers often, and how many such answers it keeps.
    public static let (quickAnswer, quickAnswers) = (200, 12)
    /// A business's number for taxes, with what people write between its parts.
    public static let taxID = 40
    /// The digits that a recipient says when it is handed over.
    public static let pin = 4
    /// How many stops a courier's route can have.
    public static let stops = 200
    /// What is searched for.
    public static let search = 100
    /// What an operator calls a gateway's key.
    public static let gatewayKeyName = 100
    /// A browser or an app, as it names itself.
    public static let userAgent = 200
    /// Where a push service finds a device, in bytes.
    public static let deviceTokenBytes = 1024
    /// A browser's keys for web push.
    public static let pushKey = 200
    /// The secret beside them.
    public static let pushSecret = 100
    /// The name of a time zone.
    public static let timeZone = 64
    /// How many devices of an account get push messages.
    public static let devices = 10
    /// How many couriers a delivery can be offered to.
    public static let candidates = 500
    /// What a report of the road says in one line, and which road, and whose department it is.
    public static let (roadTitle, road, roadDepartment) = (120, 120, 120)
    /// What somebody else who reports calls itself, and its reports.
    public static let (roadSource, roadSourceID) = (100, 200)
    /// How many places an account keeps.
    public static let places = 1000
    /// What is scanned: the most that a code of any kind holds.
    public static let credential = 7089
    /// What a courier calls a credential.
    public static let credentialTitle = 100
    /// How many credentials a courier keeps, and with how many stores each is shared.
    public static let (credentials, credentialStores) = (50, 200)
    /// What a bulletin is called, what it says, and where there is more.
    public static let (bulletinTitle, bulletinText, bulletinLink) = (200, 4000, 500)
    /// Where a bulletin is from.
    public static let bulletinSource = 100
    /// What a feed calls an entry.
    public static let bulletinGUID = 400
    /// How many bulletins a store writes in a day.
    public static let bulletinsADay = 10
}
